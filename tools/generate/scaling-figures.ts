/** What a decision and a customer take, as docs/benchmarks.md says. */
export interface Figures {
  /** Processor time of a decision, with two processes. */
  readonly nodeUs: number;
  readonly postgresUs: number;
  /** Processor time that PostgreSQL takes on a worker, compared with a single database. */
  readonly workerTimes: number;
  readonly walBytes: number;
  /** Rows of a decision and their indexes. */
  readonly storedBytes: number;
  readonly archivedBytes: number;
  readonly customerBytes: number;
}

const rows: Readonly<Record<keyof Figures, RegExp>> = {
  nodeUs: /\| processor time a decision at the peak, Node \|.*?\| [\d,]+ us with one process, ([\d,]+) us with two/,
  postgresUs:
    /\| processor time a decision at the peak, PostgreSQL \|.*?\| [\d,]+ us with one process, ([\d,]+) us with two/,
  workerTimes: /\| PostgreSQL's processor time of a decision on a worker \| ([\d.]+) times/,
  walBytes: /\| WAL of a decision \| ([\d,]+) bytes/,
  storedBytes: /\| rows and indexes of a decision \| ([\d,]+) bytes/,
  archivedBytes: /\| a decision in archived files \| ([\d,]+) bytes/,
  customerBytes: /\| rows and indexes of a customer \| ([\d,]+) bytes/,
};

/** Reads the figures from the text of docs/benchmarks.md. Throws for a missing one. */
export function figuresOf(benchmarks: string): Figures {
  const read = (name: keyof Figures): number => {
    const [, value] = rows[name].exec(benchmarks) ?? [];
    if (value === undefined) throw new Error(`docs/benchmarks.md has no row for ${name}`);
    return Number(value.replaceAll(',', ''));
  };
  return {
    nodeUs: read('nodeUs'),
    postgresUs: read('postgresUs'),
    workerTimes: read('workerTimes'),
    walBytes: read('walBytes'),
    storedBytes: read('storedBytes'),
    archivedBytes: read('archivedBytes'),
    customerBytes: read('customerBytes'),
  };
}

/** A machine for PostgreSQL, as the guide assumes it. */
export const machine = { cores: 16, busyShare: 0.6, walBytesPerSecond: 200e6, diskBytes: 10e12 };
/** Months of history that stay in the database, the current one included (ARCHIVE_AFTER_DAYS 90). */
const monthsStored = 4;
const secondsPerMonth = 30 * 86_400;

/** What a size takes. */
export interface Demand {
  readonly processes: number;
  /** Cores of PostgreSQL, used as far as a machine's. */
  readonly cores: number;
  readonly walBytesPerSecond: number;
  /** Machines for PostgreSQL: one is a single database, more are workers. */
  readonly databases: number;
  /** What asks for the most machines. */
  readonly limit: 'processor time' | 'WAL' | 'disk';
  readonly storedBytesPerMonth: number;
  readonly archivedBytesPerMonth: number;
  readonly customerBytes: number;
}

/** Computes what a size takes. `rate`: decisions per second, on average over the month. */
export function demandOf(figures: Figures, customers: number, rate: number): Demand {
  const { nodeUs, postgresUs, workerTimes, walBytes, storedBytes, archivedBytes, customerBytes } = figures;
  const perMonth = rate * secondsPerMonth;
  const ofCustomers = customers * customerBytes;
  const share = (times: number) => ({
    'processor time': (rate * postgresUs * times) / 1e6 / (machine.cores * machine.busyShare),
    WAL: (rate * walBytes) / machine.walBytesPerSecond,
    disk: (ofCustomers + monthsStored * perMonth * storedBytes) / machine.diskBytes,
  });
  const isCluster = Math.max(...Object.values(share(1))) > 1;
  const shares = share(isCluster ? workerTimes : 1);
  const limits = ['processor time', 'WAL', 'disk'] as const;
  const limit = limits.reduce((most, each) => (shares[each] > shares[most] ? each : most));
  return {
    processes: Math.ceil((rate * nodeUs) / 1e6 / machine.busyShare),
    cores: Math.ceil(shares['processor time'] * machine.cores),
    walBytesPerSecond: rate * walBytes,
    databases: Math.ceil(shares[limit]),
    limit,
    storedBytesPerMonth: perMonth * storedBytes,
    archivedBytesPerMonth: perMonth * archivedBytes,
    customerBytes: ofCustomers,
  };
}

const millions = [10, 100, 1_000];
const rates = [1_000, 10_000, 100_000];

/** Returns the guide's table. */
export function scalingTable(figures: Figures): string {
  const lines = millions.flatMap((customers) =>
    rates.map((rate) => {
      const demand = demandOf(figures, customers * 1e6, rate);
      return [
        `${customers.toLocaleString('en-US')} M`,
        rate.toLocaleString('en-US'),
        String(demand.processes),
        String(demand.cores),
        `${bytes(demand.walBytesPerSecond)}/s`,
        bytes(demand.customerBytes),
        bytes(demand.storedBytesPerMonth),
        bytes(demand.archivedBytesPerMonth),
        demand.databases === 1 ? '1 database' : `${demand.databases} workers`,
        demand.limit,
      ];
    }),
  );
  const head = [
    'customers',
    'decisions/s',
    'processes',
    'PostgreSQL’s cores',
    'WAL',
    'customers’ rows',
    'rows a month',
    'files a month',
    'PostgreSQL',
    'limit',
  ];
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const units = [
  [1e12, 'TB'],
  [1e9, 'GB'],
  [1e6, 'MB'],
] as const;

/** Shows bytes with two digits: `3.8 TB`. */
function bytes(count: number): string {
  const [size, unit] = units.find(([each]) => count >= each) ?? units[2];
  const value = count / size;
  return `${value >= 10 ? Math.round(value) : value.toFixed(1)} ${unit}`;
}
