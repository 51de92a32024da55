// Reading server-sent events by hand: EventSource cannot carry a token.

export interface ServerEvent {
  event: string;
  data: string;
  id: string;
}

// EventReader takes text in pieces, as they come, and gives back the events that are complete.
export class EventReader {
  private rest = "";
  private event = "";
  private data: string[] = [];
  private id = "";

  push(chunk: string): ServerEvent[] {
    const out: ServerEvent[] = [];
    const text = this.rest + chunk;
    // A carriage return at the very end may be half of a line's end.
    const whole = text.endsWith("\r") ? text.slice(0, -1) : text;
    const lines = whole.split(/\r\n|\r|\n/);
    this.rest = (lines.pop() ?? "") + text.slice(whole.length);
    for (const line of lines) this.line(line, out);
    return out;
  }

  private line(line: string, out: ServerEvent[]): void {
    if (line === "") {
      if (this.data.length > 0) out.push({ event: this.event || "message", data: this.data.join("\n"), id: this.id });
      this.event = "";
      this.data = [];
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return; // a comment
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.event = value;
    else if (field === "data") this.data.push(value);
    else if (field === "id") this.id = value;
  }
}
