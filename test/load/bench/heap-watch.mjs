// Loaded into a server by `--import`: from one SIGUSR2 to the next, writes how many bytes its main thread allocated on the JavaScript
// heap, and a CPU profile if wanted, into the folder HEAP_WATCH.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { GCProfiler, getHeapStatistics } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

const folder = process.env.HEAP_WATCH;
const session = new Session();
let watch = null;

/** Returns the bytes that were allocated between collections, before the first and after the last. */
function allocatedBytes(collections, atFirst) {
  let bytes = 0;
  let left = atFirst;
  for (const { beforeGC, afterGC } of collections) {
    bytes += beforeGC.heapStatistics.usedHeapSize - left;
    left = afterGC.heapStatistics.usedHeapSize;
  }
  return bytes + getHeapStatistics().used_heap_size - left;
}

/** Returns the bytes that collections of the young generation copied, because they were in use. */
function copiedBytes(collections) {
  const usedIn = ({ heapSpaceStatistics }, isNew) =>
    heapSpaceStatistics
      .filter(({ spaceName }) => (spaceName === 'new_space') === isNew)
      .reduce((sum, { spaceUsedSize }) => sum + spaceUsedSize, 0);
  return collections
    .filter(({ gcType }) => gcType === 'Scavenge')
    .reduce(
      (sum, { beforeGC, afterGC }) =>
        sum + usedIn(afterGC, true) + Math.max(0, usedIn(afterGC, false) - usedIn(beforeGC, false)),
      0,
    );
}

function begin() {
  const collector = new GCProfiler();
  collector.start();
  watch = { collector, atFirst: getHeapStatistics().used_heap_size };
  if (process.env.HEAP_WATCH_PROFILE !== undefined) {
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: 500 });
    session.post('Profiler.start');
  }
  if (process.env.HEAP_WATCH_SAMPLES !== undefined) {
    session.connect();
    // Counts what was collected, too.
    session.post('HeapProfiler.startSampling', {
      samplingInterval: 4096,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
  }
}

function end() {
  const { collector, atFirst } = watch;
  watch = null;
  const { statistics } = collector.stop();
  const write = () =>
    writeFileSync(
      join(folder, 'heap.json'),
      JSON.stringify({
        bytes: allocatedBytes(statistics, atFirst),
        copied: copiedBytes(statistics),
        collections: statistics.length,
        collectionUs: statistics.reduce((sum, { cost }) => sum + cost, 0),
        majorUs: statistics.filter(({ gcType }) => gcType !== 'Scavenge').reduce((sum, { cost }) => sum + cost, 0),
      }),
    );
  if (process.env.HEAP_WATCH_PROFILE !== undefined) {
    session.post('Profiler.stop', (_error, result) => {
      writeFileSync(process.env.HEAP_WATCH_PROFILE, JSON.stringify(result.profile));
      session.disconnect();
    });
  }
  if (process.env.HEAP_WATCH_SAMPLES !== undefined) {
    session.post('HeapProfiler.stopSampling', (_error, result) => {
      writeFileSync(process.env.HEAP_WATCH_SAMPLES, JSON.stringify(result.profile));
      session.disconnect();
    });
  }
  write();
}

if (isMainThread && folder !== undefined) process.on('SIGUSR2', () => (watch === null ? begin() : end()));
