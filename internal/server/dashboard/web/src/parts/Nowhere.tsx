import type { ComponentChildren } from "preact";
import { Link } from "./Link";

// Nowhere is the page for a wrong address.
export function Nowhere({ children }: { children: ComponentChildren }) {
  return (
    <div class="card empty" data-testid="nowhere">
      <h1>Not found</h1>
      <p>
        {children} <Link to="/">All studies</Link>
      </p>
    </div>
  );
}
