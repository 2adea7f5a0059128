import { hash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import {
  canonicalJson,
  joinPieces,
  semantics as knownSemantics,
  type PieceLists,
  type PlanHead,
  type Snapshot,
} from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { inflatedText } from '../../../platform/inflated-text.ts';
import { takeTurns } from '../../../platform/turns.ts';
import { selectResetVersion } from '../../identity/tenants/index.ts';
import {
  findPieces,
  findPlanBody,
  insertPieces,
  insertPlan,
  keepPieces,
  knownPieces,
  touchPieces,
} from './plans.store.ts';

/**
 * A plan's content is stored in pieces, each once by the hash of its content; the plan is a head (tenant, flow) with
 * the ordered hashes of its pieces. Changing one offer of thousands writes a head and one piece.
 */
export interface Piece {
  /** What it holds; members are lists of a snapshot. */
  readonly lists: PieceLists;
  /** SHA-256 of its canonical form, in hex; null until it was asked for. */
  hash: string | null;
  /** Raw-deflated canonical form, until it is known to be stored. */
  body: Buffer | null;
}

export function newPiece(lists: PieceLists): Piece {
  return { lists, hash: null, body: null };
}

/** A plan's content with its name. */
export interface SealedPlan {
  /** SHA-256 of the canonical head, the hashes of the pieces included. */
  readonly hash: Buffer;
  readonly body: Buffer;
}

/** Names a plan by its content. Pieces that were hashed before are not touched again. */
export async function sealPlan(head: PlanHead, pieces: readonly Piece[]): Promise<SealedPlan> {
  const turns = takeTurns();
  const hashes: string[] = [];
  for (const piece of pieces) {
    hashes.push(sealPiece(piece));
    const pause = turns();
    if (pause !== undefined) await pause;
  }
  const text = canonicalJson({ ...head, pieces: hashes });
  return { hash: hash('sha256', text, 'buffer'), body: deflateRawSync(text) };
}

function sealPiece(piece: Piece): string {
  if (piece.hash === null) {
    const text = canonicalJson(piece.lists);
    piece.hash = hash('sha256', text, 'hex');
    piece.body = deflateRawSync(text);
  }
  return piece.hash;
}

/** Pieces written by one statement. */
const piecesPerStatement = 16;

/**
 * Stores a plan that has been sealed and that a catalogue of this version decides with, and those of its pieces that are
 * not stored. In a transaction of its own, before the first decision: a record never names a plan that is missing.
 */
export async function storePlan(
  tx: Tx,
  { hash: name, body }: SealedPlan,
  pieces: readonly Piece[],
  version: number,
): Promise<void> {
  const names = pieces.map(nameOf);
  // The lock comes first: what is known then can't be deleted.
  const [, resetVersion, known] = await Promise.all([keepPieces(tx), selectResetVersion(tx), knownPieces(tx, names)]);
  // Callers that ask again get the plan of the catalogue as it is since then.
  if (resetVersion > version) throw new AppError('unavailable', { detail: 'The tenant has been reset.' });
  // By hash, so that nodes which store the same pieces do not deadlock.
  const missing = pieces.filter((piece) => !known.has(nameOf(piece))).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const turns = takeTurns();
  for (let at = 0; at < missing.length; at += piecesPerStatement) {
    const some: { readonly hash: Buffer; readonly body: Buffer }[] = [];
    for (const piece of missing.slice(at, at + piecesPerStatement)) {
      // A stored piece may be deleted again when no record named it.
      const packed = piece.body ?? deflateRawSync(canonicalJson(piece.lists));
      some.push({ hash: Buffer.from(nameOf(piece), 'hex'), body: packed });
      const pause = turns();
      if (pause !== undefined) await pause;
    }
    await insertPieces(tx, some);
  }
  await Promise.all([known.size > 0 ? touchPieces(tx, [...known]) : undefined, insertPlan(tx, name, body, version)]);
  tx.afterCommit(() => {
    for (const piece of pieces) piece.body = null;
  });
}

function nameOf({ hash: name }: Piece): string {
  if (name === null) throw new Error('the piece is not sealed');
  return name;
}

/** Pieces read by one statement. */
const piecesPerRead = 16;

/**
 * Reads a plan's content back. Throws AppError `record_corrupt` when a part is missing or has another hash, and
 * `unavailable` when it was made for a newer engine, which this one can't interpret: during an upgrade another node
 * may.
 */
export async function readPlanContent(tx: Tx, name: Buffer): Promise<Snapshot> {
  const { pieces, ...head } = JSON.parse(await readHead(tx, name)) as StoredHead;
  const { semantics } = head;
  if (semantics > knownSemantics) {
    const detail = `the plan was created by a newer engine (semantics ${semantics}; this server supports ${knownSemantics})`;
    throw new AppError('unavailable', { detail });
  }
  return joinPieces(head, await readPieces(tx, pieces, (text): PieceLists => JSON.parse(text)));
}

/** Returns the stored texts of a plan. Throws `record_corrupt` like `readPlanContent`. */
export async function readPlanTexts(tx: Tx, name: Buffer): Promise<{ head: string; pieces: string[] }> {
  const head = await readHead(tx, name);
  const { pieces } = JSON.parse(head) as StoredHead;
  return { head, pieces: await readPieces(tx, pieces, (text) => text) };
}

type StoredHead = PlanHead & { readonly pieces: readonly string[] };

async function readHead(tx: Tx, name: Buffer): Promise<string> {
  const body = await findPlanBody(tx, name);
  if (body === null) throw new AppError('record_corrupt', { detail: "The record's plan is missing." });
  return openBody(body, name);
}

async function readPieces<T>(tx: Tx, pieces: readonly string[], read: (text: string) => T): Promise<T[]> {
  const parts: T[] = [];
  const turns = takeTurns();
  for (let at = 0; at < pieces.length; at += piecesPerRead) {
    const names = pieces.slice(at, at + piecesPerRead);
    const bodies = await findPieces(tx, names);
    for (const piece of names) {
      const found = bodies.get(piece);
      if (found === undefined) throw new AppError('record_corrupt', { detail: 'Part of the plan is missing.' });
      parts.push(read(openBody(found, Buffer.from(piece, 'hex'))));
      const pause = turns();
      if (pause !== undefined) await pause;
    }
  }
  return parts;
}

function openBody(body: Buffer, name: Buffer): string {
  const text = inflatedText(body, name);
  if (text === null) {
    throw new AppError('record_corrupt', { detail: "Part of the record's plan doesn't match its hash." });
  }
  return text;
}
