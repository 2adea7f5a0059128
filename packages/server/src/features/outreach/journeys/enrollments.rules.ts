import { maxContextBytes } from '@arbiter/contract';

/** Why an enrollment can't have this context; null: it can. */
export function contextProblem(context: Readonly<Record<string, unknown>>): string | null {
  const bytes = Buffer.byteLength(JSON.stringify(context), 'utf8');
  return bytes > maxContextBytes ? `must be at most ${maxContextBytes} bytes as JSON` : null;
}
