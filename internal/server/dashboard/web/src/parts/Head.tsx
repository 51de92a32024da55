// HeadName names a column of words, or of numbers (n), which stand at the right. Null: a column of buttons has a name for those only who
// do not see them.
export type HeadName = string | { n: string } | null;

// Head names the columns of a table.
export function Head({ list }: { list: readonly HeadName[] }) {
  return (
    <thead>
      <tr>
        {list.map((name, k) => (
          <th key={k} scope="col" class={typeof name === "object" && name ? "n" : ""}>
            {name === null ? <span class="unseen">what to do with it</span> : typeof name === "string" ? name : name.n}
          </th>
        ))}
      </tr>
    </thead>
  );
}
