import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { connect } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { eventuallyHolds } from "../support/eventually.ts"
import { freePort } from "../support/redis-server.ts"
import { requireProgram } from "../support/require-program.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

/** The commands that build and run an example in a language. */
export interface Language {
  readonly name: string
  /** Its program, in `programs.txt`; undefined for this runtime. */
  readonly needs?: string | undefined
  /** The command that compiles the receiver to the file `binary`. */
  readonly build?: (file: string, binary: string) => ReadonlyArray<string>
  readonly run: (file: string, port: number, binary: string) => ReadonlyArray<string>
}

const folder = fileURLToPath(new URL("../../docs/examples/receiving/", import.meta.url))
/** The command of this runtime that runs a file. */
export const runtime = "Deno" in globalThis ? [process.execPath, "run", "-A"] : [process.execPath]

export const languages: ReadonlyArray<Language & { readonly file: string }> = [
  {
    name: "PHP",
    needs: "php",
    file: join(folder, "php/receive.php"),
    run: (file, port) => ["php", "-S", `127.0.0.1:${port}`, file]
  },
  {
    name: "Python",
    needs: "python3",
    file: join(folder, "python/receive.py"),
    run: (file) => ["python3", file]
  },
  {
    name: "Go",
    needs: "go",
    file: join(folder, "go/receive.go"),
    build: (file, binary) => ["go", "build", "-o", binary, file],
    run: (_file, _port, binary) => [binary]
  },
  {
    name: "TypeScript",
    file: join(folder, "node/receive.ts"),
    run: (file) => [...runtime, file]
  }
]

/** Starts a command of a language. Without its program, the test is skipped. */
export const launch = (
  [program = "", ...args]: ReadonlyArray<string>,
  { needs }: Pick<Language, "needs">,
  env: Readonly<Record<string, string>>
): Promise<{ readonly child: ChildProcess; readonly output: () => string }> =>
  new Promise((resolve, reject) => {
    if (needs !== undefined) requireProgram(needs)
    const child = spawn(program, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], PYTHONUNBUFFERED: "1", ...env }
    })
    let text = ""
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (more) => text += more)
    child.once("spawn", () => resolve({ child, output: () => text }))
    child.once("error", reject)
  })

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null

const isListening = (port: number): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resume(Effect.succeed(true)))
    socket.once("error", () => resume(Effect.succeed(false)))
    return Effect.sync(() => socket.destroy())
  })

/** Starts a receiver with its own inbox. It ends with the scope. */
export const startExample = Effect.fnUntraced(function* (
  language: Language & { readonly file: string },
  secrets: ReadonlyArray<string>
): Effect.fn.Return<{ readonly url: string; readonly inbox: string }, never, Scope.Scope> {
  const inbox = yield* temporaryFolder
  const binary = join(yield* temporaryFolder, "receive")
  const port = yield* Effect.promise(freePort)
  const env = { INBOX: inbox, PORT: String(port), WEBHOOK_SECRETS: secrets.join(" ") }

  if (language.build !== undefined) {
    const command = language.build(language.file, binary)
    yield* Effect.promise(async () => {
      const { child, output } = await launch(command, language, env)
      const [code] = await once(child, "close")
      if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${output()}`)
    })
  }
  const { child, output } = yield* Effect.acquireRelease(
    Effect.promise(() => launch(language.run(language.file, port, binary), language, env)),
    ({ child }) =>
      Effect.promise(async () => {
        if (!isRunning(child)) return
        const exited = once(child, "exit")
        process.kill(child.pid ?? 0, "SIGKILL")
        await exited
      })
  )
  yield* eventuallyHolds(
    Effect.suspend(() =>
      isRunning(child) ? isListening(port) : Effect.die(new Error(`the receiver ended: ${output()}`))
    )
  ).pipe(Effect.orDie)
  return { url: `http://127.0.0.1:${port}/`, inbox }
})
