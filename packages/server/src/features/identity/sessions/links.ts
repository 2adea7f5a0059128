import { type KeyObject, randomBytes } from 'node:crypto';
import type { Database, Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { deriveKey, hmac, keyOf } from '../../../platform/crypto/crypto.ts';
import { newId } from '../../../platform/ids.ts';
import {
  insertLink,
  type LinkPurpose,
  type LinkRow,
  lockLink,
  markLinkUsed,
  selectPlaces,
  voidLinks,
} from './links.store.ts';

export type { LinkPurpose } from './links.store.ts';

/** A new link. The token is shown only this once. */
export interface IssuedLink {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: Date;
}

/** A followed link, locked until the transaction ends. */
export type FoundLink = Omit<LinkRow, 'tokenHash'>;

/** Data of a registration, which applies once its link is followed. */
export interface GivenWithLink {
  readonly name: string;
  readonly tenantName: string | null;
  readonly passwordHash: string;
}

/** Links that verify a person by email, or through the terminal on the first start. */
export interface Links {
  /** Throws 503 `not_configured` when links aren't possible. Call it before doing anything for one. */
  assertConfigured(): void;
  /**
   * Creates a link for a user of the transaction's tenant. It replaces earlier ones with the same purpose, unless it
   * carries a registration: each of those has its own (docs/design/api-access.md 22).
   */
  issue(
    tx: Tx,
    link: { readonly userId: string; readonly purpose: LinkPurpose; readonly given?: GivenWithLink },
  ): Promise<IssuedLink>;
  /** Tenant of a token of this purpose, whatever has become of it; null: unknown, or of another purpose. */
  placeOf(database: Pick<Database, 'withSystem'>, purpose: LinkPurpose, token: string): Promise<string | null>;
  /** The link of a token in the transaction's tenant, locked; undefined: unknown, or of another purpose. */
  lock(tx: Tx, purpose: LinkPurpose, token: string): Promise<FoundLink | undefined>;
  /** Records that a link was followed, so that it no longer works. */
  use(tx: Tx, link: FoundLink): Promise<void>;
}

const hour = 3_600_000;

/**
 * Lifetimes of links (docs/design/api-access.md 4.2; for the first start: docs/design/api-settled.md "Access and
 * console").
 */
const linkLifeMs: Readonly<Record<LinkPurpose, number>> = {
  verification: 24 * hour,
  reset: hour,
  invitation: 7 * 24 * hour,
  sign_in: hour / 6,
};

const tokenForm = /^[A-Za-z0-9_-]{43}$/;

/**
 * Tokens are 256 random bits. Stored is a keyed hash over purpose and token, so that the database opens no link, and a link
 * of one purpose none of another.
 * @param secret NEXTAUTH_SECRET; blank is treated as unset
 */
export function createLinks(secret: string | null): Links {
  const root = keyOf(secret);
  const key = root === null ? null : deriveKey(root, 'mail');

  function assertConfigured(): KeyObject {
    if (key !== null) return key;
    throw new AppError('not_configured', { detail: "Links can't be created: NEXTAUTH_SECRET is not set." });
  }

  const hashOf = (purpose: LinkPurpose, token: string): Buffer | null =>
    key !== null && tokenForm.test(token) ? hmac(key, `${purpose}:${token}`) : null;

  return {
    assertConfigured: () => void assertConfigured(),
    async issue(tx, { userId, purpose, given }) {
      const token = randomBytes(32).toString('base64url');
      const expiresAt = new Date(tx.now.getTime() + linkLifeMs[purpose]);
      const id = newId();
      const tokenHash = hmac(assertConfigured(), `${purpose}:${token}`);
      if (given === undefined) await voidLinks(tx, userId, purpose);
      await insertLink(tx, {
        id,
        userId,
        purpose,
        tokenHash,
        givenName: given?.name ?? null,
        givenTenantName: given?.tenantName ?? null,
        passwordHash: given?.passwordHash ?? null,
        createdAt: tx.now,
        expiresAt,
        usedAt: null,
        voidedAt: null,
      });
      return { id, token, expiresAt };
    },
    async placeOf(database, purpose, token) {
      const hash = hashOf(purpose, token);
      if (hash === null) return null;
      const [place] = await database.withSystem('link', (tx) => selectPlaces(tx, hash));
      return place?.tenantId ?? null;
    },
    async lock(tx, purpose, token) {
      const hash = hashOf(purpose, token);
      if (hash === null) return undefined;
      const row = await lockLink(tx, hash);
      if (row === undefined || row.purpose !== purpose) return undefined;
      const { tokenHash: _tokenHash, ...link } = row;
      return link;
    },
    use: (tx, link) => markLinkUsed(tx, link.id),
  };
}
