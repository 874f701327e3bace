// SPDX-License-Identifier: Apache-2.0
// Every view has an address of names, "#/form/fma.rn.f32?table=sm_90/nvidia-h200/driver-580.159.04", so that a link
// means the same after the tables were made again.
"use strict";
(() => {
  // Readable: only what would end a part of the address is escaped.
  const escaped = (text) => encodeURIComponent(text).replace(/%2F/g, "/").replace(/%3A/g, ":").replace(/%2C/g, ",");

  ptxlat.address = (page, name, query) => {
    const pairs =
        Object.entries(query || {}).filter(([, value]) => value !== undefined && value !== null && value !== "");
    const parameters = pairs.map(([key, value]) => `${escaped(key)}=${escaped(String(value))}`).join("&");
    return `#/${page}${name ? "/" + escaped(name) : ""}${parameters ? "?" + parameters : ""}`;
  };

  const plain = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };

  ptxlat.route = () => {
    const hash = location.hash.replace(/^#\/?/, "");
    const question = hash.indexOf("?");
    const path = question < 0 ? hash : hash.slice(0, question);
    const slash = path.indexOf("/");
    const query = {};
    if (question >= 0) {
      for (const pair of hash.slice(question + 1).split("&")) {
        const equals = pair.indexOf("=");
        if (equals > 0) query[plain(pair.slice(0, equals))] = plain(pair.slice(equals + 1));
      }
    }
    return {
      page: slash < 0 ? path : path.slice(0, slash),
      name: slash < 0 ? "" : plain(path.slice(slash + 1)),
      query,
    };
  };

  // Changes the address of the view that is shown, without a new entry in the history. Not at once: browsers limit how
  // often, and it costs a key press its time.
  let waiting = 0, replace = null;
  ptxlat.replaceAddress = (page, name, query) => {
    const before = location.hash;
    replace = () => {
      if (location.hash === before) history.replaceState(null, "", ptxlat.address(page, name, query));
      replace = null;
    };
    clearTimeout(waiting);
    waiting = setTimeout(() => replace && replace(), 120);
  };
  // To another view, whose way back is the address that this one has by now.
  ptxlat.go = (address) => {
    if (replace) replace();
    location.hash = address;
  };
})();
