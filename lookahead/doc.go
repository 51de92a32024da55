// Package lookahead is a complete implementation of budgeted multi-step expected improvement (B-MS-EI). The method is
// that of Astudillo, Jiang, Balandat, Bakshy and Frazier, "Multi-Step Budgeted Bayesian Optimization with Unknown
// Evaluation Costs", NeurIPS 2021 (the paper). Numbers in brackets are the numbers of formulas in MATH.md, which has the proofs.
//
// # The problem
//
// Maximise f over the unit cube. An evaluation at x returns y = f(x) and reveals its cost z = c(x), which was unknown
// before. A budget B is given. D is the list of evaluations (x, y, z), u(D) the best y, and s(D) the money spent. An
// evaluation that carries s(D) past B does not count. The goal is the policy with the largest E[u(D)] when the money is gone. f
// and ln c have independent Gaussian processes (package gp). These models, u(D) and B − s(D) are an acq.Belief.
//
// # The value of a plan
//
// One evaluation is worth the improvement that it is expected to bring within the budget, (7):
//
//	Q_1(x|D) = EI(x)·Φ((ln(B − s(D)) − μ_c(x))/σ_c(x)).
//
// A plan of N evaluations is worth, (8),
//
//	Q_N(x|D) = Q_1(x|D) + E_{y,z}[ max_{x'} Q_{N−1}(x' | D ∪ (x,y,z)) ].
//
// # The one-shot tree
//
// The maxima inside the expectations are moved outside. A fantasy is an imagined outcome of an evaluation. The root of a tree is the
// next point; each node has a child for each of its fantasies, and each child has a point of its own. With m1, …, m_{N−1} fantasies
// there are 1 + m1 + m1·m2 + … nodes. The tree's estimate of Q_N is
//
//	Σ_levels γ^level · (mean over the level's nodes of Q_1(node)),
//
// where a node's Q_1 uses its own u, and the money that the fantasies on its way leave. A node without money is worth nothing. The weight γ of
// a later stage is Options.Discount, 1 in the paper. All points are chosen at once, by maximising the estimate over all of them together. The
// result is the root's point.
//
// A fantasy is y = μ + √(σ²+τ²)·ε, and likewise for ln z, (9). The base samples ε are scrambled Sobol points mapped by Φ⁻¹. They
// are fixed while a tree is maximised, and all nodes of a level share them. A level with one fantasy has ε = 0: it is the
// posterior mean. A tree of such levels is a path, which is the variant that the paper calls p.
//
// # The fantasy budget
//
// N is small, so a large remaining budget would pay for every plan, and costs would not matter. A tree therefore plans with what N
// steps of a base policy would cost, (13). That is EI-PUC-CC in the paper; here the caller hands the base step in. This money goes
// down with the real costs. When less than one cheap step of it is left, a new fantasy budget is made.
//
// # Where it is
//
//	tree.go      Tree: the scenario tree. Shape: its nodes. Samples: the base samples of the fantasies. Options: γ and other choices
//	value.go     Walk.Value is Q_N, Walk.LogValue ln Q_N. Within the walk out from the root, term is the acquisition of a stage, Q_1,
//	             fantasy an imagined outcome, and condition the posterior after it, without any factorisation, (10)
//	gradient.go  the exact gradient of Q_N: the walk back, (12)
//	search.go    Maximise: the one-shot optimisation, from many starts
//	rounds.go    the starts: rounds of growing trees and searching from them
//	grow.go      Pool, Grower: whole trees, each node at the best point of a pool given its ancestors
//	budget.go    FantasyBudget, Rollouts: the fantasy budget
//	advance.go   Advance: the warm start from the last tree, at the branch Nearest to what was observed. LikeliestPath: what a
//	             tree would do if all went as expected
//
// # A step of the policy
//
// Fit the models. If FantasyBudget.Left says that the last fantasy budget is used up, make another one with Rollouts.Budget. Set Remaining of the
// belief to it. Make a Tree with New and maximise it. Evaluate the first point of Solution.Best, and keep the
// tree for Advance. The examples show each of these calls. Package internal/choose does this for whole studies, and also handles what the paper
// leaves out, such as pending evaluations and points that were evaluated before.
//
// # Where it differs from the reference
//
// The reference is the authors' public code. The zero Options and Settings, with the reference's floors in Belief.MinSD, do as it does,
// except that every start has an L-BFGS-B of its own, where the reference couples pairs of starts. The rest can be switched on:
//
//   - Settings.LogForm maximises ln Q_N. Its gradient does not vanish where Q_N does, so starts in flat regions survive.
//   - Settings.Grown starts from grown trees. Nearly all nodes of trees that are spread blindly are wasted.
//   - Advance shifts the last tree to the branch that came true. The paper describes this; the reference code does not do it.
//   - Rollouts.Count averages several rollouts. The fantasy budget of a single rollout is noisy.
//   - Options.MeanCost charges a path the expected cost. The paper's path pays the median, which is lower.
//   - Options.Discount below 1 takes the best step first. Without it a plan may put that step off for ever.
//   - Options.Fidelity and Walk.LogRate are for plans with cheap looks, which the paper does not have.
//   - Belief.Limits and Belief.Fails multiply each node's Q_1 by the chance that its evaluation counts. Belief.Most bounds its value.
package lookahead
