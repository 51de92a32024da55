package front

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/eke-bo/eke/internal/sobol"
	"github.com/eke-bo/eke/space"
)

// rival is another optimiser, a process of its own. It speaks the lines of docs/EXTERNAL.md; values and the numbers with limits are lists.
type rival struct {
	command string
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	said    *strings.Builder // what it wrote to its standard error
}

func newRival(ctx context.Context, p Problem, command string, seed uint64) (*rival, error) {
	sp, err := space.New(p.Params)
	if err != nil {
		return nil, err
	}
	var design []space.Setting
	for _, u := range sobol.Points(2*(sp.Dim()+1), sp.Dim(), seed) {
		design = append(design, sp.Decode(u))
	}
	process := exec.CommandContext(ctx, "sh", "-c", command)
	r := &rival{command: command, process: process, said: &strings.Builder{}}
	process.Stderr = r.said
	if r.in, err = process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.out = bufio.NewReader(out)
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("%s cannot be started: %w", command, err)
	}
	return r, r.send(map[string]any{"protocol": 1, "params": p.Params, "goal": "minimize", "worst": p.Worst, "limits": p.Limits, "budget": p.Budget, "noise": p.Noise != nil, "seed": seed, "design": design})
}

func (r *rival) send(message any) error {
	raw, err := json.Marshal(message)
	if err == nil {
		_, err = r.in.Write(append(raw, '\n'))
	}
	return r.explained(err)
}

// explained adds what the program said to an error.
func (r *rival) explained(err error) error {
	if err == nil {
		return nil
	}
	r.end()
	return fmt.Errorf("%s: %w: %s", r.command, err, strings.TrimSpace(r.said.String()))
}

func (r *rival) ask(_ context.Context, left float64) (int, space.Setting, float64, bool, error) {
	if err := r.send(map[string]any{"ask": true, "left": left}); err != nil {
		return 0, nil, 0, false, err
	}
	line, err := r.out.ReadBytes('\n')
	if err != nil {
		return 0, nil, 0, false, r.explained(err)
	}
	var got struct {
		Number  int           `json:"number"`
		Setting space.Setting `json:"setting"`
		Done    bool          `json:"done"`
	}
	err = json.Unmarshal(line, &got)
	return got.Number, got.Setting, 0, got.Done, r.explained(err)
}

func (r *rival) tell(_ context.Context, number int, y []float64, cost float64, limits []float64) error {
	return r.send(map[string]any{"tell": number, "value": y, "limits": limits, "cost": cost})
}

func (r *rival) front(context.Context) ([]int, bool, error) { return nil, false, nil }

// end lets the program end by itself. Its exit code says less than what it said before.
func (r *rival) end() {
	_ = r.in.Close()
	_ = r.process.Wait()
}

// unbeaten are the numbers of what no other is at least as good as in every objective and better in one.
func unbeaten(seen map[int][]float64) (list []int) {
	for n, y := range seen {
		best := true
		for _, other := range seen {
			best = best && (!noWorse(other, y) || noWorse(y, other))
		}
		if best {
			list = append(list, n)
		}
	}
	return list
}
