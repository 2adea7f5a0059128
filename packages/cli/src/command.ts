import type { ParseArgsOptionsConfig } from 'node:util';

/** A command of `arbiter`. Each has its own file in commands/. */
export interface Command {
  /** As typed: `recommend`, `tenant create`. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line for the command list. */
  readonly summary: string;
  /** Output of `arbiter help <command>`. */
  readonly help: string;
  readonly options: ParseArgsOptionsConfig;
  /** Resolves with the exit code. Throws UsageError when the command line is invalid. */
  run(call: Call): Promise<number>;
}

/** The parsed command line, with the environment and output of the shell. */
export interface Call {
  readonly positionals: readonly string[];
  readonly flags: Flags;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Prints a line to standard output. */
  print(line: string): void;
  /** Prints a line to standard error. */
  warn(line: string): void;
  /** Prompts the user; undefined without a terminal. */
  readonly ask?: (question: string) => Promise<string>;
  /** Prompts the user without echoing the input. */
  readonly askSecretly?: (question: string) => Promise<string>;
}

/** Values of the flags; undefined for flags that weren't passed. */
export interface Flags {
  text(name: string): string | undefined;
  flag(name: string): boolean;
  /** Parses an integer. Throws UsageError for anything else. */
  integer(name: string): number | undefined;
}

/** Flags of every command that calls the server. */
export const connectionOptions: ParseArgsOptionsConfig = {
  url: { type: 'string' },
  'api-key': { type: 'string' },
  tenant: { type: 'string' },
  json: { type: 'boolean' },
};

export const connectionHelp = `Connection:
  --url <url>         server URL                   (ARBITER_URL, http://localhost:3000)
  --api-key <key>     API key, krn_...             (ARBITER_API_KEY or ARBITER_API_KEY_FILE)
  --tenant <id>       tenant of the key, optional  (ARBITER_TENANT_ID)
  --json              print the API response as JSON

Flags override environment variables, which override ~/.config/arbiter/config.json
({ "url", "apiKey", "tenantId" }).`;
