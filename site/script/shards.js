// SPDX-License-Identifier: Apache-2.0
// The data is in scripts, because a page from a disk may not fetch files: each calls ptxlatShard(name, text) with JSON,
// compressed and in base 85 (src/site/shard.h). A shard is loaded when a view first needs it.
"use strict";
(() => {
  const waiting = new Map();
  const loaded = new Map();

  const digits = "!#%()*+,-./0123456789:;=@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~";
  const valueOf = new Uint8Array(128);
  for (let i = 0; i < digits.length; ++i) valueOf[digits.charCodeAt(i)] = i;

  const bytesOf = (text) => {
    const groups = Math.ceil(text.length / 5), missing = 5 * groups - text.length;
    const padded = text + digits.at(-1).repeat(missing);
    const bytes = new DataView(new ArrayBuffer(4 * groups));
    for (let group = 0; group < groups; ++group) {
      let word = 0;
      for (let i = 5 * group; i < 5 * group + 5; ++i) word = 85 * word + valueOf[padded.charCodeAt(i)];
      bytes.setUint32(4 * group, word);
    }
    return new Uint8Array(bytes.buffer, 0, 4 * groups - missing);
  };

  const unpack = async (text) => {
    const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };

  window.ptxlatShard = (name, text) => {
    const value = unpack(text);
    const wanted = waiting.get(name);
    if (wanted)
      wanted(value);
    else
      loaded.set(name, value);
  };

  // Numbers that a shard has as differences.
  ptxlat.summed = (differences) => {
    const numbers = new Int32Array(differences.length);
    let sum = 0;
    for (let i = 0; i < numbers.length; ++i) numbers[i] = sum += differences[i];
    return numbers;
  };

  // A promise of the shard's value. Names are numbers of the site's own, never a text of a table or an address.
  ptxlat.load = (name) => {
    if (!loaded.has(name)) {
      loaded.set(
          name, new Promise((resolve, reject) => {
            waiting.set(name, resolve);
            const script = ptxlat.element(
                "script",
                {src: `data/${name}.js`, onerror: () => reject(new Error(`the file data/${name}.js is missing`))});
            document.head.append(script);
          }));
    }
    return loaded.get(name);
  };

  ptxlat.loadScript = (path) => {
    if (!loaded.has(path)) {
      loaded.set(path, new Promise((resolve, reject) => {
                   document.head.append(ptxlat.element(
                       "script",
                       {src: path, onload: resolve, onerror: () => reject(new Error(`the file ${path} is missing`))}));
                 }));
    }
    return loaded.get(path);
  };
})();
