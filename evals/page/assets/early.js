"use strict";
// What has to be known before the first paint: the theme, and whether the address names a trial.
const themes = ["auto", "light", "dark"];
try { if (themes.includes(localStorage.getItem("theme"))) document.documentElement.dataset.theme = localStorage.getItem("theme"); } catch { /* not kept */ }
if (location.hash.startsWith("#trial=")) document.documentElement.dataset.opening = "";
