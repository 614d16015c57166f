/** The texts of the overview and of the projections in English. */
export const enOverview = {
  overview: {
    title: "Overview",
    health: "Health",
    ready: "Ready",
    notReady: "Not ready",
    models: "Read models",
    behind: (count: number) => `${count} behind`,
    upToDate: "up to date",
    recent: "Latest verifications",
    recentAll: "All verifications",
    recentNone: "No verifications yet.",
    result: "Result",
    branch: "Branch",
    verdict: { first: "verified", duplicate: "duplicate", failed: "failed" }
  },
  statistics: {
    today: "Today",
    lastDay: "Last 24 hours",
    week: "Last 7 days",
    verified: "Verified",
    duplicates: "Duplicates",
    failed: "Failed",
    amount: "Volume",
    p95: "p95 duration",
    spark: (name: string, highest: string) => `${name} in the last 24 hours; the highest hour has ${highest}`,
    firstHour: "the first hour of the day",
    change: (percent: string, until: string) => `${percent} on yesterday until ${until}`,
    same: (until: string) => `as yesterday until ${until}`,
    yesterday: (value: string, until: string) => `${value} yesterday until ${until}`,
    noneYesterday: (until: string) => `no data yesterday until ${until}`,
    outcomes: { hour: "Verifications per hour", day: "Verifications per day" },
    aboutOutcomes: (verified: string, duplicates: string, failed: string) =>
      `${verified} verified, ${duplicates} duplicates and ${failed} failed.`,
    latency: "Duration of verifications",
    aboutLatency: "p50 is the duration that half of the verifications do not exceed, p95 that of 95 %.",
    callbacks: "Callback attempts",
    aboutCallbacks: (delivered: string, failed: string, rejected: string) =>
      `${delivered} delivered, ${failed} to be repeated and ${rejected} rejected.`,
    attempts: { delivered: "Delivered", failed: "To be repeated", rejected: "Rejected" },
    hour: "Hour",
    day: "Day",
    table: "Show the numbers",
    empty: "Nothing was verified in this time.",
    noLatency: "No durations were measured in this time. Older verifications have none.",
    noCallbacks: "No callbacks were sent in this time."
  },
  problems: {
    title: "Problems",
    none: "No problems",
    ahead: (model: string) => `The read model ${model} is ahead of the log: rebuild it`,
    gateway: (name: string) => `The gateway ${name} is not asked`,
    host: (host: string, failures: number) => `${host} failed ${failures} callbacks in a row: its callbacks wait`,
    quota: (branch: string, quota: string) => `The branch ${branch} has used its quota of ${quota} this month`
  },
  strip: {
    service: "Service",
    usable: (usable: number, all: number) => `${usable} of ${all} in use`,
    callbacks: "Waiting callbacks",
    abandoned: "Abandoned callbacks",
    jobs: "Open jobs"
  },
  gateways: {
    title: "Gateways",
    name: "Gateway",
    state: "State",
    closed: "in use",
    paused: {
      failures: "paused after failures",
      key: "refuses the key",
      ip: "refuses this machine's address",
      account: "refuses the account",
      quota: "no questions left"
    },
    left: "Questions left",
    unlimited: "without a limit",
    end: "Package ends",
    ended: "ended",
    chargedToday: "Charged today",
    free: "free",
    hint: "Charged today: by this process, since its start. The price is that of the settings named *_PRICE."
  },
  projections: {
    title: "Projections",
    lead: "Read models are computed from the log. A lost read model can be rebuilt.",
    model: "Read model",
    checkpoint: "Checkpoint",
    head: "End of the log",
    lag: "Lag",
    ahead: "ahead of the log",
    rebuild: "Rebuild",
    rebuildHint: "Builds a new copy beside the current one, then replaces it. On a long log this takes time.",
    compare: "Compare",
    compareHint: "Replays the log and compares the result with the read model. On a long log this takes time.",
    same: (lines: number) => `The read model equals the replay: ${lines} lines.`,
    differs: "The read model differs from the replay.",
    surplus: (count: number) => `${count} lines only in the read model`,
    missing: (count: number) => `${count} lines only in the replay`
  }
}
