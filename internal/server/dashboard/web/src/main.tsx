import { render } from "preact";
import { App } from "./App";
import { listen } from "./lib/router";
import "./style/base.css";
import "./style/parts.css";
import "./style/charts.css";

listen();
const place = document.getElementById("app");
if (place) render(<App />, place);
