// Before anything is drawn, so that nothing flashes: the theme that was chosen here last.
try {
  const theme = localStorage.getItem("eke-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // no storage: the system's theme
}
