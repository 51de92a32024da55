import type { ComponentChildren } from "preact";

interface Props {
  title: ComponentChildren;
  id: string;
  say?: ComponentChildren;
  aside?: ComponentChildren;
  children?: ComponentChildren;
}

export function Card({ title, id, say, aside, children }: Props) {
  return (
    <section class="card" aria-labelledby={`${id}-title`} data-testid={id}>
      <div class="cardhead">
        <h2 id={`${id}-title`}>{title}</h2>
        {aside}
      </div>
      {say && <p class="say">{say}</p>}
      {children}
    </section>
  );
}
