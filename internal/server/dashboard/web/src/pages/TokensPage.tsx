import { useState } from "preact/hooks";
import { api } from "../api/client";
import type { NewToken, Token } from "../api/types";
import { moment } from "../lib/format";
import { Card } from "../parts/Card";
import { Dialog, Footer } from "../parts/Dialog";
import { Head } from "../parts/Head";
import { Loading } from "../parts/Loading";
import { Needs } from "../parts/Needs";
import { Trouble } from "../parts/Trouble";
import { type Role, useMe } from "../state/me";
import { useLoad } from "../state/useLoad";
import { useSend } from "../state/useSend";

// TokensPage is where admins make and revoke tokens.
export const TokensPage = () => (
  <>
    <div class="pagehead">
      <h1>Tokens</h1>
    </div>
    <Needs role="admin" allGroups to="make and revoke tokens">
      <AllTokens />
    </Needs>
  </>
);

function AllTokens() {
  const [attempt, again] = useState(0);
  const [first, made] = useState(false); // the first token was made here: nobody is answered without one now
  const { data, problem, busy } = useLoad((stop) => api.tokens(stop), [attempt]);
  const [revoking, revoke] = useState<Token | null>(null);
  const me = useMe();
  return (
    <>
      <NewTokenCard open={me?.open === true} onMade={() => (me?.open ? made(true) : again((n) => n + 1))} />
      <Trouble problem={problem} />
      {!data && busy && <Loading what="loading the tokens" />}
      {data && data.length === 0 && !first && <p class="card empty">There are no tokens. Everybody on the server's machine may do everything.</p>}
      {data && data.length > 0 && (
        <div class="card scroll">
          <table class="plain" data-testid="tokens">
            <Head list={["name", "role", "group", "made", "ID", null]} />
            <tbody>
              {data.map((t) => (
                <tr key={t.id} data-testid={`token-${t.id}`}>
                  <td>{t.name || "–"}</td>
                  <td>{t.role}</td>
                  <td>{t.group || "–"}</td>
                  <td>{moment(t.created)}</td>
                  <td>
                    <code>{t.id}</code>
                    {t.id === me?.id && " (yours)"}
                  </td>
                  <td class="n">
                    <button type="button" onClick={() => revoke(t)} aria-label={`revoke ${t.name || t.id}`} data-testid={`revoke-${t.id}`}>
                      Revoke…
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {revoking && <RevokeDialog token={revoking} mine={revoking.id === me?.id} onDone={() => again((n) => n + 1)} onClose={() => revoke(null)} />}
    </>
  );
}

function NewTokenCard({ open, onMade }: { open: boolean; onMade: () => void }) {
  const [name, setName] = useState("");
  const [group, setGroup] = useState("");
  const [role, setRole] = useState<Role>(open ? "admin" : "reader");
  const [made, setMade] = useState<NewToken | null>(null);
  const { busy, problem, send, forget } = useSend();
  const make = (e: Event) => {
    e.preventDefault();
    void send(async () => {
      setMade(await api.newToken({ role, ...(name.trim() !== "" && { name: name.trim() }), ...(group.trim() !== "" && { group: group.trim() }) }));
      setName("");
      onMade();
    });
  };
  return (
    <Card id="new-token" title="Make a token" say={`A reader looks, a worker runs trials as well, and an admin may do everything.${open ? " As soon as there is a token, everybody needs one, so the first is an admin's. Keep it: it is shown only once." : ""}`}>
      <form onSubmit={make} onInput={forget}>
        <div class="controls">
          <label class="inline">
            role{" "}
            <select value={role} onChange={(e) => setRole(e.currentTarget.value as Role)} data-testid="token-role">
              {(open ? ["admin"] : ["reader", "worker", "admin"]).map((r) => (
                <option key={r}>{r}</option>
              ))}
            </select>
          </label>
          <label class="inline">
            whose <input type="text" value={name} autocomplete="off" onInput={(e) => setName(e.currentTarget.value)} data-testid="token-name" />
          </label>
          <label class="inline">
            group <input type="text" value={group} autocomplete="off" placeholder="all studies" onInput={(e) => setGroup(e.currentTarget.value)} data-testid="token-group" />
          </label>
          <button type="submit" class="primary" disabled={busy} data-testid="make-token">
            Make a token
          </button>
        </div>
      </form>
      <Trouble problem={problem} />
      {made && (
        <p class="note" role="status">
          The token of {made.name || "nobody in particular"}, shown only now{open && "; once you have kept it, load this page again and enter it"}: <code data-testid="made-token">{made.token}</code>
        </p>
      )}
    </Card>
  );
}

function RevokeDialog({ token: t, mine, onDone, onClose }: { token: Token; mine: boolean; onDone: () => void; onClose: () => void }) {
  const { busy, problem, send } = useSend();
  const revoke = () =>
    void send(async () => {
      await api.revoke(t.id);
      onClose();
      onDone();
    });
  return (
    <Dialog title={`Revoke the token of ${t.name || t.id}?`} id="revoke-dialog" onClose={onClose}>
      <p class="say">Whoever uses it is refused from now on. You cannot undo this.{mine && " It is the token that you use yourself."}</p>
      <Footer act="Revoke" testid="revoke-submit" danger disabled={busy} problem={problem} onAct={revoke} onClose={onClose} />
    </Dialog>
  );
}
