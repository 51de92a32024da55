// Package enginetest tests that an engine does what engine.Engine promises. Every engine of commands runs it in a test of its own:
//
//	func TestMain(m *testing.M) {
//		enginetest.Main(open) // plays the controller that is killed
//		os.Exit(m.Run())
//	}
//
//	func TestEngine(t *testing.T) { enginetest.Run(t, enginetest.Config{Open: open}) }
package enginetest
