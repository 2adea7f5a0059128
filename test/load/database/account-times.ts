// How long registrations and requests for a password link take on a busy machine, for known and unknown addresses: the
// medians mustn't differ (docs/adr/0069). Run by hand:
//   node_modules/.bin/node test/load/database/account-times.ts [rounds]
import {
  createPeople,
  freshAddress,
  trusting,
} from '../../../packages/server/src/features/identity/accounts/test-people.ts';
import { startTestServer } from '../../../packages/server/src/main/test-server.ts';

const rounds = Number(process.argv[2] ?? 40);
/** Calls at once, more than the processors can serve within the earliest moment of an answer. */
const atOnce = 8;

const server = await startTestServer({ config: trusting, evenAnswers: true });
const people = createPeople(server);
const known = await Promise.all(Array.from({ length: atOnce }, () => people.person(server.tenants[0])));
await server.testDatabase.ownerQuery('update arbiter.users set address_proven = true');

/** Without the helper that runs the job after each call: the answer's own time. */
async function timeOf(path: string, payload: object): Promise<number> {
  const startedAt = performance.now();
  const { statusCode } = await server.app.inject({
    method: 'POST',
    url: `/api/v1/auth/${path}`,
    headers: { 'x-requested-with': 'load', 'x-forwarded-for': freshAddress() },
    payload,
  });
  if (statusCode >= 300 && statusCode !== 429) throw new Error(`${statusCode}`);
  return performance.now() - startedAt;
}

const medianOf = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

for (const path of ['register', 'forgot-password']) {
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    const bodies = known.flatMap(({ email }, index) => {
      const pair = [['known', email] as const, ['unknown', `${path}-${round}-${index}-${email}`] as const];
      // Calls wait in a queue, so the kind that always came second would look slower.
      return round % 2 === 0 ? pair : pair.toReversed();
    });
    await Promise.all(
      bodies.map(async ([kind, email]) => {
        const body = path === 'register' ? { name: 'Ada', email, password: 'Passw0rd' } : { email };
        times[kind].push(await timeOf(path, body));
      }),
    );
    // Five an hour for one address.
    await server.testDatabase.ownerQuery('delete from arbiter.rate_limit_windows');
  }
  const [one, other] = [medianOf(times.known), medianOf(times.unknown)];
  console.log(`${path}: known ${one.toFixed(1)} ms, unknown ${other.toFixed(1)} ms, ${times.known.length} calls each`);
}
await server.close();
