import { defineConfig } from "vite";

// The result is committed: go build embeds ../dist, and needs no Node.
export default defineConfig({
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the content security policy allows nothing inline
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: { "/api": process.env["EKE_SERVER"] ?? "http://127.0.0.1:8420" },
  },
});
