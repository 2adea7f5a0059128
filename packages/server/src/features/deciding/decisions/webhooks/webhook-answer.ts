import type { ExternalAnswer, ExternalEntry } from '@arbiter/engine';

/**
 * Parses the body of a webhook's answer, `{ candidates: [{ offerId, score?, drop? }] }`. Ignores offers that weren't
 * asked about; of an offer named twice, the first entry counts. Null: it isn't a valid answer and fails as a whole
 * (docs/design/api-settled.md 71).
 */
export function readWebhookAnswer(text: string, asked: ReadonlySet<string>): ExternalAnswer | null {
  const candidates = listIn(text);
  if (candidates === null) return null;
  const entries = new Map<string, ExternalEntry>();
  for (const candidate of candidates) {
    const entry = readEntry(candidate);
    if (entry === null) return null;
    if (asked.has(entry.offerId) && !entries.has(entry.offerId)) entries.set(entry.offerId, entry);
  }
  return { candidates: [...entries.values()] };
}

function listIn(text: string): readonly unknown[] | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  const candidates = typeof body === 'object' && body !== null && 'candidates' in body ? body.candidates : null;
  return Array.isArray(candidates) ? candidates : null;
}

function readEntry(candidate: unknown): ExternalEntry | null {
  if (typeof candidate !== 'object' || candidate === null || !('offerId' in candidate)) return null;
  const { offerId, score = null, drop = false }: { offerId: unknown; score?: unknown; drop?: unknown } = candidate;
  if (typeof offerId !== 'string') return null;
  if (score !== null && (typeof score !== 'number' || !Number.isFinite(score) || score < 0)) return null;
  if (drop !== null && typeof drop !== 'boolean') return null;
  // -0 becomes 0, as all numbers from outside.
  return { offerId: offerId.toLowerCase(), score: score === null ? null : score + 0, drop: drop === true };
}
