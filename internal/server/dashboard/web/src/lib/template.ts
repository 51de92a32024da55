// What a new study begins with.
export const template = `# What may vary, what it may cost, and how to try a setting.
name: my-study

# What a trial returns, and whether small or large values are good: minimize | maximize.
objective: {name: loss, goal: minimize}

# What a trial costs: reported, what whoever tries it says, or walltime, the seconds it took.
cost: {source: reported, unit: GPU-hours}

budget:
  total: 100          # all trials together
  # per_trial: 10     # no trial may cost more

# type: float and int (min, max, log; int: step), choice and ordered (values), bool, fixed (value).
# A parameter with when exists only if another has that value.
parameters:
  lr: {type: float, min: 1e-5, max: 0.1, log: true}
  layers: {type: int, min: 1, max: 8}
  optimizer: {type: choice, values: [sgd, adam]}
  momentum: {type: float, min: 0, max: 0.99, when: {optimizer: sgd}}

# Workers run this, on their own machines; leave it out to enter results by hand.
# command: ["python", "train.py", "--lr={lr}", "--layers={layers}"]

parallel: 1           # how many trials may run at once
`;
