import type { KeyObject } from 'node:crypto';
import type { Config } from '../config.ts';
import {
  type CustomerKeys,
  createCustomerKeys,
  createKeyedHash,
  type KeyedHash,
} from '../features/deciding/customer-states/index.ts';
import { createEnvelope, type Envelope, keyOf } from '../platform/crypto/crypto.ts';
import { masterKeysOf } from './secrets.ts';

/** What DATA_ENCRYPTION_KEY and DATA_ENCRYPTION_KEYS_OLD encrypt, sign and hash with. */
export interface Encryption {
  readonly keys: CustomerKeys;
  /** Keys that sign checkpoints of audit chains, newest first. */
  readonly checkpointKeys: readonly KeyObject[];
  readonly customerHash: KeyedHash;
  readonly importKeyHash: KeyedHash;
  readonly pipelineHash: KeyedHash;
  /** Null without DATA_ENCRYPTION_KEY. */
  readonly envelope: Envelope | null;
  /** Derives the keys of anonymous customers. Null without DATA_ENCRYPTION_KEY. */
  readonly anonymousKey: KeyObject | null;
}

/** Derives everything from the configured keys. */
export function createEncryption(config: Pick<Config, 'DATA_ENCRYPTION_KEY' | 'DATA_ENCRYPTION_KEYS_OLD'>): Encryption {
  const { DATA_ENCRYPTION_KEY: current, DATA_ENCRYPTION_KEYS_OLD: old } = config;
  const hashKeys = [current, ...old].map(keyOf).filter((key) => key !== null);
  return {
    keys: createCustomerKeys(masterKeysOf(config)),
    checkpointKeys: hashKeys,
    customerHash: createKeyedHash(hashKeys, 'customer'),
    importKeyHash: createKeyedHash(hashKeys, 'importKey'),
    pipelineHash: createKeyedHash(hashKeys, 'pipelineValue'),
    envelope: current === null ? null : createEnvelope(current, old),
    anonymousKey: keyOf(current),
  };
}
