package problem

import (
	"math"
	"sync"

	"github.com/ByteArena/box2d"
)

// The world of the robot pushing problem, after Z. Wang and S. Jegelka, Max-value Entropy Search for Efficient Bayesian
// Optimization, ICML 2017, with the numbers of the paper's code: a disc lies at the origin of a table without gravity; a
// hand is put down somewhere and pushes towards the disc for a while. Friction joints with the table stand for sliding on
// it.

// stepsPerSecond is the rate of the simulation. Each step takes this many iterations to solve velocities and positions.
const (
	stepsPerSecond = 100
	iterations     = 10
)

// The hand is driven for stepsPerTime steps per unit of push time. Then the disc slides to rest for settle more
// steps.
const (
	stepsPerTime = 10
	settle       = 100
)

// handSpeed is how fast the hand tries to go, and handGain how hard it tries: force = mass·gain·(what is missing).
const (
	handSpeed = 5
	handGain  = 30
)

// handDrift is added to the hand's velocity. In the authors' code it is noise, drawn from the same seed each time, so it is
// always this vector.
var handDrift = box2d.MakeB2Vec2(0.17640523, 0.04001572)

// oneAtATime keeps simulations from running at the same time: box2d counts its calls in global variables.
var oneAtATime sync.Mutex

// push returns where the disc comes to rest when the hand is put down at (x, y) and pushes for the given time.
func push(x, y, time float64) (restX, restY float64) {
	oneAtATime.Lock()
	defer oneAtATime.Unlock()
	world := box2d.MakeB2World(box2d.MakeB2Vec2(0, 0))
	still := box2d.MakeB2BodyDef()
	ground := world.CreateBody(&still)

	disc := box2d.MakeB2CircleShape()
	disc.SetRadius(1)
	object := put(&world, &disc, thing{density: 0.05, friction: 0.01})
	hold(&world, ground, object, 5, 2)

	box := box2d.MakeB2PolygonShape()
	box.SetAsBox(0.3, 1)
	hand := put(&world, &box, thing{x: x, y: y, angle: handAngle(x, y), density: 0.1, friction: 0.1})
	hold(&world, ground, hand, 2, 2)

	wanted := box2d.B2Vec2Sub(object.GetPosition(), hand.GetPosition())
	wanted.Normalize() // leaves zero as it is: a hand on the middle of the disc has no direction to push in
	wanted = box2d.B2Vec2Add(box2d.B2Vec2MulScalar(handSpeed, wanted), handDrift)

	driven := int(stepsPerTime * time)
	for i := range driven + settle {
		if i < driven {
			drive(hand, wanted)
		}
		world.Step(1./stepsPerSecond, iterations, iterations)
	}
	at := object.GetPosition()
	return at.X, at.Y
}

// handAngle turns the hand's broad side to the disc.
func handAngle(x, y float64) float64 {
	if x == 0 && y == 0 {
		return 0
	}
	return math.Atan(y / x)
}

// thing is a body to be put on the table.
type thing struct{ x, y, angle, density, friction float64 }

func put(world *box2d.B2World, shape box2d.B2ShapeInterface, t thing) *box2d.B2Body {
	def := box2d.MakeB2BodyDef()
	def.Type = box2d.B2BodyType.B2_dynamicBody
	def.Position.Set(t.x, t.y)
	def.Angle = t.angle
	body := world.CreateBody(&def)
	fixture := box2d.MakeB2FixtureDef()
	fixture.Shape, fixture.Density, fixture.Friction = shape, t.density, t.friction
	body.CreateFixtureFromDef(&fixture)
	return body
}

// hold ties a body to the ground by friction.
func hold(world *box2d.B2World, ground, body *box2d.B2Body, force, torque float64) {
	joint := box2d.MakeB2FrictionJointDef()
	joint.BodyA, joint.BodyB = ground, body
	joint.MaxForce, joint.MaxTorque = force, torque
	world.CreateJoint(&joint)
}

// drive applies a step's force and torque to the hand: toward the wanted velocity, and against turning.
func drive(hand *box2d.B2Body, wanted box2d.B2Vec2) {
	gain := hand.GetMass() * handGain
	hand.ApplyTorque(-gain*hand.GetAngularVelocity(), true)
	missing := box2d.B2Vec2Sub(wanted, hand.GetLinearVelocity())
	hand.ApplyForce(box2d.B2Vec2MulScalar(gain, missing), hand.GetPosition(), true)
}
