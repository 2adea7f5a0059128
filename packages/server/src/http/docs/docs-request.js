// Runs in the browser, inside the documents' page, and in the tests. No dependency on either.

/**
 * The HTTP request of a call that a reader filled in. `call` is what the page says of the operation, `values` what stands
 * in the form; empty fields are left out. Throws an Error whose message tells the reader what is missing.
 */
export function requestOf(call, values, apiKey) {
  const path = call.path.replace(/\{([^}]+)\}/g, (_, name) => {
    const value = values.params[name] ?? '';
    if (value === '') throw new Error(`Fill in ${name}.`);
    // A browser resolves these two as steps, also when they are percent-encoded: the call would go elsewhere.
    if (value === '.' || value === '..') throw new Error(`${name} cannot be "${value}" in a URL.`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values.query)) if (value !== '') search.append(name, value);
  const headers = { Accept: 'application/json', Prefer: 'handling=strict' };
  if (call.takesKey && apiKey !== '') headers.Authorization = `Bearer ${apiKey}`;
  if (call.needsRequestedWith) headers['X-Requested-With'] = 'arbiter-docs';
  for (const [name, value] of Object.entries(values.headers)) if (value !== '') headers[name] = utf8(value);
  const init = { method: call.method, headers };
  if (call.hasBody) {
    headers['Content-Type'] = 'application/json';
    init.body = values.body;
  }
  return { url: path + (search.size === 0 ? '' : `?${search}`), init };
}

/** `fetch` takes bytes only in headers: text beyond ASCII travels as its UTF-8 bytes, one character each. */
function utf8(text) {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/** True when every word of the query is somewhere in the text; case and order do not matter. */
export function matches(text, query) {
  const where = text.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => where.includes(word));
}

/** The body of an answer for reading: JSON with line breaks, anything else as it came. */
export function readable(text, contentType) {
  if (!/^application\/([a-z.]+\+)?json/i.test(contentType)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** `734 B`, `12.4 KB`. */
export function sizeOf(bytes) {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} KB`;
}
