import type { ComponentChildren } from "preact";
import { setToken } from "../api/token";
import type { Summary } from "../api/types";
import { askAgainWho, type Role, useMay, useWho } from "../state/me";
import { Link } from "./Link";
import { Loading } from "./Loading";
import { Trouble } from "./Trouble";

interface Props {
  role: Role;
  of?: Pick<Summary, "owner">; // the study whose owner may do it too
  allGroups?: boolean; // a token for one group is not enough
  to: string; // what it is needed for: "create a study"
  children: ComponentChildren;
}

const article = (role: Role) => `${role === "admin" ? "an" : "a"} ${role}`;

// Needs shows what is inside to those who may do it. To others, who have come by its address, it says whose token that takes.
export function Needs({ role, of, allGroups = false, to, children }: Props) {
  const { me, problem } = useWho();
  const may = useMay();
  if (me === null) return problem ? <Trouble problem={problem} again={askAgainWho} /> : <Loading what="asking what your token allows" />;
  const narrow = allGroups && Boolean(me.group); // as the server has it
  if (may(role, of) && !narrow) return <>{children}</>;
  return (
    <div class="card empty" data-testid="needs" data-role={role}>
      <h2>Your token does not allow this</h2>
      <p>
        To {to}, you need the token of {article(role)}
        {of && role === "admin" && ", or of the study's owner"}
        {narrow && " for all groups"}. Yours is that of {article(me.role)}
        {narrow && ` for the group ${me.group}`}.
      </p>
      <p class="buttons">
        <button type="button" onClick={() => setToken("")} data-testid="other-token">
          Use another token
        </button>
        <Link to="/">All studies</Link>
      </p>
    </div>
  );
}
