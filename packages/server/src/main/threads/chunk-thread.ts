// The program of a thread that decides for campaigns (chunk-threads.ts). It has connections, catalogues and keys of its own, and
// commits by itself.
import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Registry } from 'prom-client';
import {
  createCallSignal,
  createDecisionService,
  type DecisionMetrics,
  type DecisionService,
} from '../../features/deciding/decisions/index.ts';
import { createRunChunks } from '../../features/outreach/campaigns/index.ts';
import { systemClock } from '../../platform/time/clock.ts';
import { zoneClock } from '../../platform/time/zones.ts';
import { createConnections, threadPoolMax } from '../connections.ts';
import { createEncryption } from '../encryption.ts';
import { createOutboundCalls } from '../outbound/outbound-calls.ts';
import {
  type ChunkCounts,
  type ChunkThreadSetting,
  type FromChunkThread,
  type Observation,
  receivedError,
  sentError,
  type ToChunkThread,
} from './chunk-messages.ts';
import { threadClock } from './thread-clock.ts';

const flushMinutesEveryMs = 5_000;
const reportEveryMs = 1_000;

interface ChunkServer {
  readonly decisions: DecisionService;
  readonly runChunk: ReturnType<typeof createRunChunks>;
  close(): Promise<void>;
}

function startChunkServer(setting: ChunkThreadSetting, send: (message: FromChunkThread) => void): ChunkServer {
  const { address, callMemory, patience } = setting;
  const config = { ...setting.config, DATABASE_POOL_MAX: threadPoolMax };
  const onError = (error: unknown): void => send({ kind: 'background-failed', error: sentError(error) });
  const connections = createConnections({
    ...{ address, config, onError, clock: systemClock, registry: new Registry() },
    ...(patience === undefined ? {} : { patience }),
  });
  const { database, chunkPath } = connections;
  const { keys, customerHash, anonymousKey, envelope } = createEncryption(config);
  const outboundCalls = createOutboundCalls(config);
  const observations: Observation[] = [];
  const report = (): void => {
    if (observations.length > 0) send({ kind: 'observed', observations: observations.splice(0) });
  };
  const decisions = createDecisionService({
    ...{ database, keys, customerHash, anonymousKey, envelope, zoneClock, onError },
    ...{ chunkPath, hot: chunkPath, previewPath: chunkPath },
    ...{ clock: systemClock, metrics: metricsInto(observations), outbound: outboundCalls.outbound },
    callSignal: createCallSignal(callMemory, threadClock),
  });
  const timers = [
    setInterval(() => decisions.flushMinutes().catch(onError), flushMinutesEveryMs).unref(),
    setInterval(report, reportEveryMs).unref(),
  ];
  return {
    decisions,
    runChunk: createRunChunks({ database, decideChunk: decisions.decideChunk }),
    async close() {
      for (const timer of timers) clearInterval(timer);
      await decisions.close();
      report();
      await outboundCalls.close();
      await connections.close();
    },
  };
}

function metricsInto(observations: Observation[]): DecisionMetrics {
  const none = (): never => {
    throw new Error('threads for campaigns take no calls');
  };
  return {
    batchDecided(tenantId, size, counts, ageMs) {
      const { items, candidates, dropped, blocked, reserved, degraded, assigned } = counts;
      const plain = { items, candidates, dropped, blocked, reserved, degraded, assigned };
      observations.push(['batchDecided', tenantId, size, plain, ageMs]);
    },
    breakerMoved: (...args) => void observations.push(['breakerMoved', ...args]),
    catalogueRead: (...args) => void observations.push(['catalogueRead', ...args]),
    stageTook: (...args) => void observations.push(['stageTook', ...args]),
    webhookAsked: (...args) => void observations.push(['webhookAsked', ...args]),
    recommended: none,
    responded: none,
    byTenant: () => [],
  };
}

type Before = PromiseWithResolvers<ChunkCounts>;

function serve(port: MessagePort, setting: ChunkThreadSetting): void {
  const send = (message: FromChunkThread): void => port.postMessage(message);
  const server = startChunkServer(setting, send);
  const befores = new Map<number, Before>();
  const run = async ({ id, order }: Extract<ToChunkThread, { kind: 'chunk' }>): Promise<void> => {
    const before: Before = Promise.withResolvers();
    // The chunk may fail before it awaits this.
    before.promise.catch(() => undefined);
    befores.set(id, before);
    try {
      const end = await server.runChunk(order, {
        allowNext: (decided) => send({ kind: 'next', id, decided }),
        afterBefore: () => before.promise,
      });
      send({ kind: 'ended', id, end });
    } catch (error) {
      send({ kind: 'failed', id, error: sentError(error) });
    } finally {
      befores.delete(id);
    }
  };
  port.on('message', (message: ToChunkThread) => {
    const { kind } = message;
    if (kind === 'chunk') void run(message);
    else if (kind === 'before') befores.get(message.id)?.resolve(message.counts);
    else if (kind === 'before-failed') befores.get(message.id)?.reject(receivedError(message.error));
    else void server.close().finally(() => port.close());
  });
}

if (!isMainThread && parentPort !== null) serve(parentPort, workerData as ChunkThreadSetting);
