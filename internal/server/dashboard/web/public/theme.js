// Before anything is drawn, so that nothing flashes: the theme that was chosen here last, or the system's.
let theme = null;
try {
  theme = localStorage.getItem("eke-theme");
} catch {
  // no storage: the system's theme
}
if (theme !== "light" && theme !== "dark") theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
document.documentElement.dataset.theme = theme;
