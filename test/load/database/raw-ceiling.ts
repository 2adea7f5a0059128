// The raw ceiling: the same HTTP framework, request body and answer, without database, engine or checks. What share of it the
// product reaches is a figure that survives a noisy machine. Prints its port.
import { readFileSync } from 'node:fs';
import fastify from 'fastify';

const answer: unknown = JSON.parse(readFileSync(process.argv[2]!, 'utf8'));
const app = fastify({ logger: false });
app.post('/api/v1/recommend', async () => answer);
await app.listen({ port: 0, host: '127.0.0.1' });
const address = app.server.address();
console.log(typeof address === 'object' ? address?.port : '');
