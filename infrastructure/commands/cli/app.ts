import { Effect } from "effect"
import { Command } from "effect/cli"
import { NoColorFlag } from "./colors.ts"
import { targetFlags } from "./target.ts"

/** Loads one subcommand each, in the order of the help. */
const subcommands = {
  serve: async () => (await import("./serve.ts")).serve,
  service: async () => (await import("./service.ts")).service,
  branch: async () => (await import("./branch.ts")).branch,
  key: async () => (await import("./key.ts")).key,
  "bank-account": async () => (await import("./bank-account.ts")).bankAccount,
  account: async () => (await import("./account.ts")).account,
  operator: async () => (await import("./operator.ts")).operator,
  verify: async () => (await import("./verify.ts")).verify,
  trail: async () => (await import("./trail.ts")).trail,
  find: async () => (await import("./find.ts")).find,
  verification: async () => (await import("./verification.ts")).verification,
  jobs: async () => (await import("./jobs.ts")).jobs,
  callbacks: async () => (await import("./callbacks.ts")).callbacks,
  statistics: async () => (await import("./statistics.ts")).statistics,
  decode: async () => (await import("./decode.ts")).decode,
  projections: async () => (await import("./projections.ts")).projections,
  backup: async () => (await import("./backup.ts")).backup,
  restore: async () => (await import("./backup.ts")).restore,
  reseal: async () => (await import("./reseal.ts")).reseal,
  egress: async () => (await import("./egress.ts")).egress,
  doctor: async () => (await import("./doctor.ts")).doctor,
  sandbox: async () => (await import("./sandbox.ts")).sandbox,
  receiver: async () => (await import("./receiver.ts")).receiver,
  "vendor-mock": async () => (await import("./vendor-mock.ts")).vendorMock
}

const isSubcommand = (name: string): name is keyof typeof subcommands => Object.hasOwn(subcommands, name)

/** Global flags that take a value. */
const valueFlags: ReadonlyArray<string> = ["--url", "--token-file"]

/** The first argument that is not a global flag: the name of the subcommand. */
const nameIn = (args: ReadonlyArray<string>): string =>
  args.find((arg, index) => !arg.startsWith("-") && !valueFlags.includes(args[index - 1] ?? "")) ?? ""

/**
 * The command line (docs/spec/operations.md, "Command line"). Loads only the subcommand that the arguments name,
 * because loading all of them doubles the time of a start. Help and usage errors of `sliptrail` itself need all.
 */
export const loadApp = (args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const name = nameIn(args)
    const loaders = isSubcommand(name) ? [subcommands[name]] : Object.values(subcommands)
    const loaded = await Promise.all(loaders.map((load) => load()))
    return Command.make("sliptrail").pipe(
      Command.withDescription("Verifies Thai bank-transfer slips and keeps the trail of every verification"),
      Command.withSubcommands(loaded),
      Command.withGlobalFlags([...targetFlags, NoColorFlag])
    )
  })
