// Does nothing but read the clock, next to a measurement: a gap that it sees is the machine (or its scheduler) standing
// still, and not the server. Reads once a millisecond, so that it takes next to nothing of a core. Ends with SIGTERM and
// prints one JSON line: the gaps of more than `longerThanMs`.
const longerThanMs = Number(process.argv[2] ?? 5);
const gaps: number[] = [];
let last = performance.now();
const timer = setInterval(() => {
  const now = performance.now();
  if (now - last > longerThanMs) gaps.push(now - last);
  last = now;
}, 1);
process.once('SIGTERM', () => {
  clearInterval(timer);
  console.log(
    JSON.stringify({ count: gaps.length, totalMs: gaps.reduce((a, b) => a + b, 0), longestMs: Math.max(0, ...gaps) }),
  );
});
