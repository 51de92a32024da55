import { api } from "../api/client";
import { useLoad } from "../state/useLoad";
import { TextField } from "./TextField";

interface Props {
  owner: string;
  group: string;
  onOwner: (id: string) => void;
  onGroup: ((name: string) => void) | null; // null: the viewer sees one group only, and may not move studies out of it
}

// WhoseFields say to whom a study belongs, and who sees it. Who may see all tokens chooses the owner by name.
export function WhoseFields({ owner, group, onOwner, onGroup }: Props) {
  const { data } = useLoad((stop) => api.tokens(stop), []);
  const known = data?.filter((t) => t.role !== "reader") ?? [];
  return (
    <div class="fields">
      <label class="field">
        <span>Owner, who may do everything with it</span>
        {data ? (
          <select value={owner} onChange={(e) => onOwner(e.currentTarget.value)} data-testid="edit-owner">
            <option value="">nobody</option>
            {owner !== "" && !known.some((t) => t.id === owner) && <option value={owner}>{owner}</option>}
            {known.map((t) => (
              <option key={t.id} value={t.id}>
                {t.name ? `${t.name} (${t.id})` : t.id}
              </option>
            ))}
          </select>
        ) : (
          <input type="text" value={owner} autocomplete="off" spellcheck={false} onInput={(e) => onOwner(e.currentTarget.value)} data-testid="edit-owner" />
        )}
      </label>
      {onGroup && <TextField label="Group, whose tokens see it" text={group} onText={onGroup} testid="edit-group" hint="all" />}
    </div>
  );
}
