/** Exit codes of every command (docs/design/api-access.md 20). */
export const exitCodes = {
  ok: 0,
  /** The API answered with an error. */
  refused: 1,
  /** The command line is wrong; also a setting that is missing. */
  usage: 2,
  /** No answer from the server. */
  unreachable: 3,
  /** The command worked and found differences (replay, audit verify, doctor). */
  differences: 4,
  /** Ctrl+C at a question; 128 + SIGINT, as shells report it. */
  canceled: 130,
} as const;

/** A command line that cannot be carried out as typed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
