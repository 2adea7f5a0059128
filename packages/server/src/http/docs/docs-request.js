// Runs in the browser, inside the documents' page, and in the tests. Depends on neither.

/**
 * Returns the HTTP request of a call that a reader filled in. `call` is the page's description of the operation,
 * `values` are the form's values; empty fields are left out. Throws an Error whose message tells the reader what's
 * missing.
 */
export function requestOf(call, values, apiKey) {
  const path = call.path.replace(/\{([^}]+)\}/g, (_, name) => {
    const value = values.params[name] ?? '';
    if (value === '') throw new Error(`Fill in ${name}.`);
    // A browser resolves these two as path steps, even percent-encoded, so the call would go elsewhere.
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

/**
 * Encodes a header value: `fetch` takes only bytes, so text beyond ASCII becomes its UTF-8 bytes, one character each.
 */
function utf8(text) {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/** Returns true when every word of the query occurs in the text, in any case and order. */
export function matches(text, query) {
  const where = text.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => where.includes(word));
}

/** Formats an answer's body for reading: JSON with line breaks, anything else unchanged. */
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
