import { hash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { ErrorEntry, ModelImport } from '@arbiter/contract';
import { canonicalJson, type Json } from '@arbiter/engine';
import { readImport } from './import.rules.ts';

/** A learned state in its stored forms, prepared off the event loop. */
export interface PreparedState {
  /** JSON. */
  readonly text: string;
  /** The canonical form, deflated. */
  readonly body: Uint8Array;
  /** SHA-256 of the canonical form. */
  readonly hash: Uint8Array;
}

export type PreparedImport =
  | { readonly state: PreparedState; readonly predictors: readonly Json[] }
  | { readonly problems: readonly ErrorEntry[] };

/** Where the request has the model: in a part of a form, or in a property of the JSON. */
export type ModelPlace = 'file' | 'model';

/** Reads a model file in a thread. Throws 400 `validation_failed` when the file needs too much memory, 503 when too many wait. */
export type ReadModelFile = (sent: ModelImport, place: ModelPlace) => Promise<PreparedImport>;

/**
 * Reads a model file and prepares its stored forms. Runs in a thread, because 50 MB take seconds. `problems`: why the file can't
 * be imported, with paths in the request.
 */
export function prepareImport(sent: ModelImport, place: ModelPlace): PreparedImport {
  const read = readImport(sent, place);
  if (!('state' in read)) return { problems: read };
  const canonical = canonicalJson(read.state);
  const state = {
    text: JSON.stringify(read.state),
    body: deflateRawSync(canonical),
    hash: hash('sha256', canonical, 'buffer'),
  };
  return { state, predictors: read.predictors };
}
