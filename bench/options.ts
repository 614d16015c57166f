import { parseArgs } from "node:util"

/** Options of the command line. */
export interface Options {
  /** Figures to measure; all when empty. */
  readonly names: ReadonlyArray<string>
  /** Number of rounds. In each round both sides run once. */
  readonly rounds: number
  /** Verifications per round. */
  readonly requests: number
  /** Number of keep-alive connections of the load. */
  readonly connections: number
  /** Number of events in the filled log. */
  readonly events: number
  /** A part of the names of the attacks to run; all when undefined. */
  readonly attack: string | undefined
  /** Length of the soak in minutes. */
  readonly minutes: number
  /** Folder of slip pictures with a manifest.json; undefined for the small folder of the tests. */
  readonly slips: string | undefined
  /** Folder for CPU profiles of the service. */
  readonly profile: string | undefined
  readonly help: boolean
}

const DEFAULTS = { rounds: "5", requests: "4000", connections: "64", events: "100000", minutes: "30" }

export const usage = `npm run bench -- [NAME…] [--rounds ${DEFAULTS.rounds}] [--requests ${DEFAULTS.requests}]
  [--connections ${DEFAULTS.connections}] [--events ${DEFAULTS.events}] [--slips FOLDER] [--profile FOLDER]
  [--attack TEXT] [--minutes ${DEFAULTS.minutes}]

--slips    folder of slip pictures with a manifest.json; default: SLIPS_DIR, or else test/fixtures/slips
--attack   run only the attacks of "hostile" and "soak" whose names contain the text
--profile  write CPU profiles of the measured service into this folder
`

/** Reads the command line. Throws on unknown options. */
export const readOptions = (args: ReadonlyArray<string>): Options => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: "string", default: DEFAULTS.rounds },
      requests: { type: "string", default: DEFAULTS.requests },
      connections: { type: "string", default: DEFAULTS.connections },
      events: { type: "string", default: DEFAULTS.events },
      minutes: { type: "string", default: DEFAULTS.minutes },
      attack: { type: "string" },
      slips: { type: "string" },
      profile: { type: "string" },
      help: { type: "boolean", default: false }
    }
  })
  return {
    names: positionals,
    rounds: count("rounds", values.rounds),
    requests: count("requests", values.requests),
    connections: count("connections", values.connections),
    events: count("events", values.events),
    minutes: count("minutes", values.minutes),
    attack: values.attack,
    slips: values.slips ?? process.env["SLIPS_DIR"],
    profile: values.profile,
    help: values.help
  }
}

const count = (name: string, text: string): number => {
  if (!/^[1-9]\d{0,7}$/u.test(text)) throw new Error(`--${name} ${text} is not a whole number above 0`)
  return Number(text)
}
