// What a refused sign-in takes, by whether the address is known: the medians must not tell (docs/design/quality.md T29,
// docs/design/api-settled.md "Access and console"). Run by hand:
//   node_modules/.bin/node test/load/database/login-times.ts [users]
import {
  createPeople,
  freshAddress,
  trusting,
} from '../../../packages/server/src/features/identity/accounts/test-people.ts';
import { startTestServer } from '../../../packages/server/src/main/test-server.ts';

const userCount = Number(process.argv[2] ?? 100);
/** Wrong passwords for each user; the last of them locks. */
const failures = 5;

const server = await startTestServer({ config: trusting, evenAnswers: true });
const people = createPeople(server);
const users = [];
for (let count = 0; count < userCount; count += 1) users.push(await people.person(server.tenants[0]));

async function timeOf(email: string): Promise<number> {
  const headers = { 'x-forwarded-for': freshAddress() };
  const startedAt = performance.now();
  const { status } = await people.open('POST', '/api/v1/auth/login', {
    body: { email, password: 'Wrong0000' },
    headers,
  });
  if (status !== 401) throw new Error(`${status}`);
  return performance.now() - startedAt;
}

const known: number[] = [];
const unknown: number[] = [];
for (let round = 0; round < failures; round += 1) {
  for (const [index, { email }] of users.entries()) {
    // Alternate the order, so that the machine's other work affects both.
    const pair = [async () => known.push(await timeOf(email)), async () => unknown.push(await timeOf(`no-${email}`))];
    for (const work of index % 2 === 0 ? pair : pair.toReversed()) await work();
  }
}

const medianOf = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const [one, other] = [medianOf(known), medianOf(unknown)];
console.log(`known address   ${one.toFixed(1)} ms (${known.length} refusals)`);
console.log(`unknown address ${other.toFixed(1)} ms (${unknown.length} refusals)`);
console.log(`they differ by  ${((100 * Math.abs(one - other)) / Math.min(one, other)).toFixed(2)} %; the bar is 5 %`);
await server.close();
