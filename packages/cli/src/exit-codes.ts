/** Exit codes of every command (docs/design/api-access.md, section 20). */
export const exitCodes = {
  ok: 0,
  /** The API returned an error. */
  refused: 1,
  /** The command line is invalid, or a setting is missing. */
  usage: 2,
  /** The server didn't respond. */
  unreachable: 3,
  /** The command succeeded and found differences (replay, audit verify, doctor). */
  differences: 4,
  /** Ctrl+C at a prompt: 128 + SIGINT, as shells report it. */
  canceled: 130,
} as const;

/** The command line can't be run as written. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
