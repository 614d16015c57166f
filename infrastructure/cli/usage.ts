import { Array as Arr, Console, Layer } from "effect"
import { CliConfig, type CliError, CliOutput, GlobalFlag, type HelpDoc } from "effect/cli"
import { padded, widest } from "./output.ts"

/**
 * How the command line speaks of itself. Help is data and goes to standard output; a wrong use is one line on standard
 * error, which says where the help is, so that a script that goes wrong never takes help for an answer.
 */
export const layerUsage = Layer.mergeAll(
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
  CliOutput.layerPresenter({
    present: (event) => {
      switch (event._tag) {
        case "Help":
          return Console.log(formatter.formatHelpDoc(inColumns(event.helpDoc)))
        case "Version":
          return Console.log(`${event.name} ${event.version}`)
        case "InvalidInvocation":
          return Console.error(
            `sliptrail: ${event.errors.map(inWords).join("; ")} (see ${event.commandPath.join(" ")} --help)`
          )
      }
    }
  })
)

/** The flags that every command has are told once, with the help of `sliptrail` itself. */
const formatter = CliOutput.defaultFormatter({ globalFlags: "summary" })

/** Names of one width: the formatter leaves a name that is longer than its column too close to what is said of it. */
const inColumns = (doc: HelpDoc.HelpDoc): HelpDoc.HelpDoc =>
  doc.subcommands === undefined ? doc : {
    ...doc,
    subcommands: doc.subcommands.map(({ commands, group }) => {
      const to = widest(commands.map(({ name }) => name)) + 1
      return { group, commands: Arr.map(commands, (command) => ({ ...command, name: padded(command.name, to) })) }
    })
  }

const orSimilar = (suggestions: ReadonlyArray<string>): string =>
  suggestions.length === 0 ? "" : `, did you mean ${suggestions.join(" or ")}?`

const inWords = (error: CliError.NonShowHelpErrors): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `there is no flag ${error.option}${orSimilar(error.suggestions)}`
    case "UnknownSubcommand":
      return `there is no command ${error.subcommand}${orSimilar(error.suggestions)}`
    case "MissingOption":
      return `--${error.option} is missing`
    case "MissingArgument":
      return `${error.argument} is missing`
    case "UnexpectedArgument":
      return `nothing is expected at ${error.arguments.map((argument) => `"${argument}"`).join(" ")}`
    default:
      return error.message.replaceAll(/\s+/gu, " ")
  }
}
