import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import { formats } from '../platform/formats.ts';
import { isObject } from '../platform/json.ts';
import { parseCron } from '../platform/time/cron.ts';
import { isZone } from '../platform/time/zones.ts';

/** `tenant`: work of one tenant, in its transactions. `installation`: work across tenants. */
export type JobScope = 'tenant' | 'installation';

/** When a job runs on its own. A job of scope `tenant` then runs for every tenant. */
export interface JobSchedule<Payload> {
  /** Five fields (platform/time/cron.ts). */
  readonly cron: string;
  /** IANA name. */
  readonly zone: string;
  readonly payload: Payload;
  /**
   * The server needs it to stay whole (partitions, rows that outlived their time): it runs wherever workers run, whether
   * or not SCHEDULER is on.
   */
  readonly upkeep: boolean;
}

/** A kind of background work, described once: queue, dead letters and scheduler read this value. */
export interface Job<P extends TSchema = TSchema, S extends JobScope = JobScope> {
  /** `<noun>.<verb>`; unique; topic of its dead letters. */
  readonly name: string;
  /** Ids, numbers and words of closed lists only: never customer data (docs/adr/0005). */
  readonly payload: P;
  readonly scope: S;
  /** Tries before it becomes a dead letter. */
  readonly attempts: number;
  readonly schedule: JobSchedule<Static<P>> | null;
  /** The payload, when it fits the schema. Throws an Error that names the place and never the value. */
  readonly check: (payload: unknown) => Static<P>;
}

export interface JobSpec<P extends TSchema> {
  readonly name: string;
  readonly payload: P;
  /** Default 6 (docs/design/api-access.md 15). */
  readonly attempts?: number;
  readonly schedule?: {
    readonly cron: string;
    /** Default UTC. */
    readonly zone?: string;
    readonly payload: Static<P>;
    readonly upkeep?: boolean;
  };
}

/** Names that the queue adds to each payload. */
const reserved = ['tenantId', 'dueAt', 'triesBefore'];

const ajv = new Ajv2020({
  strict: false,
  // `assertBare` has read the schema; the schema of schemas would cost each start more than all payloads together.
  validateSchema: false,
  code: { optimize: false },
  formats: Object.fromEntries(Object.entries(formats).map(([name, format]) => [name, format.test])),
});

/** Describes work of one tenant. Throws for an invalid spec, so a process with one doesn't start. */
export function job<P extends TSchema>(spec: JobSpec<P>): Job<P, 'tenant'> {
  return describeJob(spec, 'tenant');
}

/** Describes work across tenants; otherwise like `job`. */
export function installationJob<P extends TSchema>(spec: JobSpec<P>): Job<P, 'installation'> {
  return describeJob(spec, 'installation');
}

function describeJob<P extends TSchema, S extends JobScope>(spec: JobSpec<P>, scope: S): Job<P, S> {
  const { name, payload, attempts = 6 } = spec;
  if (!/^[a-z][a-z0-9_.-]{0,99}$/.test(name)) throw new Error(`not a valid job name: ${name}`);
  if (!Number.isInteger(attempts) || attempts < 1) throw new Error(`job ${name} needs at least one attempt`);
  assertBare(name, payload);
  let validate: ValidateFunction<Static<P>> | undefined;
  const check = (value: unknown): Static<P> => {
    validate ??= ajv.compile<Static<P>>(payload);
    if (validate(value)) return value;
    const [first] = validate.errors ?? [];
    throw new Error(`the payload of ${name} is invalid: ${first?.instancePath ?? ''} ${first?.message ?? ''}`);
  };
  const { schedule } = spec;
  if (schedule === undefined) return { name, payload, scope, attempts, schedule: null, check };
  const { cron, zone = 'UTC', upkeep = false } = schedule;
  parseCron(cron);
  if (!isZone(zone)) throw new Error(`job ${name} has a schedule with an unknown time zone: ${zone}`);
  return { name, payload, scope, attempts, schedule: { cron, zone, upkeep, payload: check(schedule.payload) }, check };
}

/** Throws for a schema with room for free text, which could contain customer data. */
function assertBare(name: string, schema: TSchema): void {
  const properties: unknown = Reflect.get(schema, 'properties');
  if (!isObject(properties) || Reflect.get(schema, 'additionalProperties') !== false) {
    throw new Error(`the payload of job ${name} must be an object with additionalProperties: false`);
  }
  for (const key of reserved) if (Object.hasOwn(properties, key)) throw new Error(`job ${name} must not use ${key}`);
  for (const [key, value] of Object.entries(properties)) {
    if (!isBare(value)) throw new Error(`the payload of job ${name} must not contain free text: ${key}`);
  }
}

function isBare(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, format, anyOf, items } = schema;
  if (Array.isArray(anyOf)) return anyOf.every(isBare);
  if (Object.hasOwn(schema, 'const') || Object.hasOwn(schema, 'enum')) return true;
  if (type === 'string') return ['uuid', 'date', 'date-time'].includes(String(format));
  if (type === 'array') return isBare(items);
  return type === 'integer' || type === 'number' || type === 'boolean' || type === 'null';
}
