// Package enginetest holds an engine to the word of engine.Engine. Every engine runs it in a test of its own:
//
//	func TestMain(m *testing.M) {
//		enginetest.Main(open) // plays the controller that is killed
//		os.Exit(m.Run())
//	}
//
//	func TestEngine(t *testing.T) { enginetest.Run(t, enginetest.Config{Open: open}) }
package enginetest
