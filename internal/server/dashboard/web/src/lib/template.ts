// The study file that a new study starts with.
export const template = `# What may vary, what it may cost, and how to try a setting.
name: my-study

# What a trial returns, and the goal: minimize or maximize it. min: 0 says that it cannot be less: no forecast goes beyond.
objective: {name: loss, goal: minimize}

# What a trial costs: reported by whoever runs it, or walltime, the seconds it took.
cost: {source: reported, unit: GPU-hours}

budget:
  total: 100          # all trials together
  # per_trial: 10     # the most that one trial may cost

# Types: float and int (min, max, log; int: step), choice and ordered (values), bool, fixed (value).
# A parameter with when exists only if another parameter has that value.
parameters:
  lr: {type: float, min: 1e-5, max: 0.1, log: true}
  layers: {type: int, min: 1, max: 8}
  optimizer: {type: choice, values: [sgd, adam]}
  momentum: {type: float, min: 0, max: 0.99, when: {optimizer: sgd}}

# Trials can be evaluated more cheaply first, here with fewer epochs. Only values at the highest number count.
# fidelity: {name: epochs, min: 1, max: 81, log: true}

# Workers run this on their own machines. Leave it out to enter results by hand.
# command: ["python", "train.py", "--lr={lr}", "--layers={layers}"]

parallel: 1           # how many trials may run at once
`;
