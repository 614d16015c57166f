import { Array as Arr, Console, Layer } from "effect"
import { CliConfig, type CliError, CliOutput, GlobalFlag, type HelpDoc } from "effect/cli"
import { padded, widest } from "./output.ts"

/**
 * Help and usage errors. Help is data and goes to standard output. A usage error is one line on standard error, so that
 * a script never reads help as data.
 */
export const layerUsage = Layer.mergeAll(
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
  CliOutput.layerPresenter({
    present: (event) => {
      switch (event._tag) {
        case "Help":
          return Console.log(formatter.formatHelpDoc(alignSubcommands(event.helpDoc)))
        case "Version":
          return Console.log(`${event.name} ${event.version}`)
        case "InvalidInvocation":
          return Console.error(
            `sliptrail: ${event.errors.map(describe).join("; ")} (see ${event.commandPath.join(" ")} --help)`
          )
      }
    }
  })
)

/** The global flags are listed only in the help of `sliptrail` itself. */
const formatter = CliOutput.defaultFormatter({ globalFlags: "summary" })

/** Pads the names of subcommands to one width: the formatter leaves no space after a long name. */
const alignSubcommands = (doc: HelpDoc.HelpDoc): HelpDoc.HelpDoc =>
  doc.subcommands === undefined ? doc : {
    ...doc,
    subcommands: doc.subcommands.map(({ commands, group }) => {
      const to = widest(commands.map(({ name }) => name)) + 1
      return { group, commands: Arr.map(commands, (command) => ({ ...command, name: padded(command.name, to) })) }
    })
  }

const suggest = (suggestions: ReadonlyArray<string>): string =>
  suggestions.length === 0 ? "" : `, did you mean ${suggestions.join(" or ")}?`

const describe = (error: CliError.NonShowHelpErrors): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `unknown flag ${error.option}${suggest(error.suggestions)}`
    case "UnknownSubcommand":
      return `unknown command ${error.subcommand}${suggest(error.suggestions)}`
    case "MissingOption":
      return `--${error.option} is missing`
    case "MissingArgument":
      return `${error.argument} is missing`
    case "UnexpectedArgument":
      return `unexpected argument ${error.arguments.map((argument) => `"${argument}"`).join(" ")}`
    default:
      return error.message.replaceAll(/\s+/gu, " ")
  }
}
