import { useEffect, useRef } from "preact/hooks";
import { token } from "./api/token";
import { type Route, route } from "./lib/router";
import { useSignal } from "./lib/signal";
import { ComparePage } from "./pages/ComparePage";
import { ListPage } from "./pages/ListPage";
import { NewPage } from "./pages/NewPage";
import { StudyPage } from "./pages/StudyPage";
import { TokensPage } from "./pages/TokensPage";
import { Header } from "./parts/Header";
import { Lit } from "./parts/Lit";
import { Nowhere } from "./parts/Nowhere";
import { Tip } from "./parts/Tip";
import { TokenDialog } from "./parts/TokenDialog";
import { useWhoAmI } from "./state/me";

const titleOf = (r: Route): string => {
  switch (r.page) {
    case "study":
      return `${r.name} – eke`;
    case "new":
      return "New study – eke";
    case "tokens":
      return "Tokens – eke";
    case "compare":
      return "Compare – eke";
    default:
      return "eke";
  }
};

// Another token may see other things, so everything is loaded again.
export function App() {
  const at = useSignal(route);
  const key = useSignal(token);
  useWhoAmI();
  const title = titleOf(at);
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  useEffect(() => {
    document.title = title;
    if (!first.current) main.current?.focus({ preventScroll: true }); // so that a screen reader announces the new page
    first.current = false;
  }, [title]);
  return (
    <>
      <Header />
      <main id="main" ref={main} tabindex={-1} key={key}>
        <Page at={at} />
      </main>
      <TokenDialog />
      <Tip />
      <Lit />
    </>
  );
}

function Page({ at }: { at: Route }) {
  switch (at.page) {
    case "list":
      return <ListPage at={at} />;
    case "new":
      return <NewPage />;
    case "tokens":
      return <TokensPage />;
    case "compare":
      return <ComparePage names={at.studies} key={at.studies.join("\n")} />;
    case "study":
      return <StudyPage name={at.name} tab={at.tab} trial={at.trial} key={at.name} />;
    case "nowhere":
      return (
        <Nowhere>
          There is no page <code>{at.path}</code>.
        </Nowhere>
      );
  }
}
