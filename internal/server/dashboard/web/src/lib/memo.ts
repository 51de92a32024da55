import { Component, createElement, type FunctionComponent } from "preact";

// memo keeps what a component has drawn as long as its properties are the same objects. Charts of twenty thousand trials are not drawn
// again because something else on their page has changed.
export function memo<P extends object>(Drawn: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const now = this.props as P;
      const keys = Object.keys(next) as (keyof P)[];
      return keys.length !== Object.keys(now).length || keys.some((k) => !Object.is(next[k], now[k]));
    }
    override render() {
      return createElement(Drawn, this.props as P);
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}
