import type { ts } from './parser.ts';
import { testFile } from './test-file.ts';

/** A rule over the syntax tree of single files. */
export interface SourceRule {
  readonly name: string;
  /** `file` is its path from the repository's root. */
  readonly applies: (file: string) => boolean;
  /** Describes in a few words how the node breaks the rule, or null. */
  readonly breaks: (node: ts.Node) => string | null;
}

const tests = new RegExp(testFile);
export const isTest = (file: string): boolean => tests.test(file);
/** Code of the server, without tests. */
export const inServer = (file: string): boolean => file.startsWith('packages/server/src/') && !isTest(file);
/** Code of the server's features, without tests. */
export const inFeatures = (file: string): boolean => file.startsWith('packages/server/src/features/') && !isTest(file);
