import type { ComponentChildren } from "preact";
import { Link } from "./Link";

// Nowhere says what there is not, and shows the way back.
export function Nowhere({ children }: { children: ComponentChildren }) {
  return (
    <div class="card empty" data-testid="nowhere">
      <h1>There is nothing here</h1>
      <p>
        {children} <Link to="/">All studies</Link>
      </p>
    </div>
  );
}
