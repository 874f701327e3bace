// SPDX-License-Identifier: Apache-2.0
// Light or dark: the reader's choice, else the system's. Loaded before the page is drawn, so that it does not flash.
"use strict";
(() => {
  const key = "ptxlat-theme";
  const system = matchMedia("(prefers-color-scheme: dark)");
  // A page from a disk may be denied the storage.
  const stored = () => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  let chosen = stored();
  const theme = () => chosen || (system.matches ? "dark" : "light");
  const apply = () => {
    document.documentElement.dataset.theme = theme();
    window.dispatchEvent(new Event("themechange"));
  };
  apply();
  system.addEventListener("change", apply);
  window.addEventListener("DOMContentLoaded", () => {
    document.getElementById("theme").addEventListener("click", () => {
      chosen = theme() === "dark" ? "light" : "dark";
      try {
        localStorage.setItem(key, chosen);
      } catch {
        // The choice lasts as long as the page.
      }
      apply();
    });
  });
})();
