// Markdown as elements: text stays text, whatever it says, and links lead to web pages only.
import type { ComponentChildren, VNode } from "preact";

const inline = /`([^`]+)`|\*\*(.+?)\*\*|\*(.+?)\*|\[([^\]]*)\]\(([^\s()]+)\)|(https?:\/\/[^\s<>()]+[^\s<>().,;:!?])/;

// spans are the parts of a line.
export function spans(text: string): ComponentChildren[] {
  const out: ComponentChildren[] = [];
  for (let rest = text; rest !== ""; ) {
    const m = inline.exec(rest);
    if (!m) return [...out, rest];
    const [all, code, bold, italic, label, to, address] = m;
    out.push(rest.slice(0, m.index));
    if (code !== undefined) out.push(<code>{code}</code>);
    else if (bold !== undefined) out.push(<b>{spans(bold)}</b>);
    else if (italic !== undefined) out.push(<i>{spans(italic)}</i>);
    else out.push(link(to ?? address ?? "", label ?? address ?? "", all));
    rest = rest.slice(m.index + all.length);
  }
  return out;
}

function link(to: string, label: string, all: string): ComponentChildren {
  if (!/^https?:\/\//i.test(to) && !/^\/(?!\/)/.test(to)) return all; // javascript: and the like are shown as they are
  return (
    <a href={to} rel="noopener noreferrer nofollow">
      {label}
    </a>
  );
}

// Markdown knows headings, lists, quotations, code, and paragraphs.
export function Markdown({ text }: { text: string }): VNode {
  const blocks: ComponentChildren[] = [];
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const take = (fits: (l: string) => boolean): string[] => {
    const got: string[] = [];
    while (lines.length > 0 && fits(lines[0] ?? "")) got.push(lines.shift() ?? "");
    return got;
  };
  const item = /^\s*([-*+]|\d+[.)])\s+/;
  const special = /^(#{1,6}\s|```|>|\s*([-*+]|\d+[.)])\s+)/;
  while (lines.length > 0) {
    const line = lines[0] ?? "";
    if (line.trim() === "") lines.shift();
    else if (line.startsWith("```")) {
      lines.shift();
      blocks.push(<pre>{take((l) => !l.startsWith("```")).join("\n")}</pre>);
      lines.shift();
    } else if (/^#{1,6}\s/.test(line)) blocks.push(<h3>{spans((lines.shift() ?? "").replace(/^#+\s+/, ""))}</h3>);
    else if (line.startsWith(">")) blocks.push(<blockquote>{spans(take((l) => l.startsWith(">")).map((l) => l.replace(/^>\s?/, "")).join(" "))}</blockquote>);
    else if (item.test(line)) {
      const list = take((l) => item.test(l)).map((l) => <li>{spans(l.replace(item, ""))}</li>);
      blocks.push(/^\s*\d/.test(line) ? <ol>{list}</ol> : <ul>{list}</ul>);
    } else {
      const first = lines.shift() ?? "";
      blocks.push(<p>{spans([first, ...take((l) => l.trim() !== "" && !special.test(l))].join(" "))}</p>);
    }
  }
  return <div class="markdown">{blocks}</div>;
}
