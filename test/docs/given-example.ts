import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { connect } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { eventuallyHolds } from "../support/eventually.ts"
import { freePort } from "../support/redis-server.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

/** The commands with which a language runs its example. */
export interface Language {
  readonly name: string
  /** The Debian package of its program. */
  readonly package: string
  /** The command that runs or compiles the receiver; `made` is the folder for a compiled program. */
  readonly build?: (file: string, made: string) => ReadonlyArray<string>
  readonly run: (file: string, port: number, made: string) => ReadonlyArray<string>
}

const folder = fileURLToPath(new URL("../../docs/examples/receiving/", import.meta.url))
/** The command of this runtime that runs a file. */
export const runtime = "Deno" in globalThis ? [process.execPath, "run", "-A"] : [process.execPath]

export const languages: ReadonlyArray<Language & { readonly file: string }> = [
  {
    name: "PHP",
    package: "php-cli",
    file: join(folder, "php/receive.php"),
    run: (file, port) => ["php", "-S", `127.0.0.1:${port}`, file]
  },
  {
    name: "Python",
    package: "python3",
    file: join(folder, "python/receive.py"),
    run: (file) => ["python3", file]
  },
  {
    name: "Go",
    package: "golang-go",
    file: join(folder, "go/receive.go"),
    build: (file, made) => ["go", "build", "-o", made, file],
    run: (_file, _port, made) => [made]
  },
  {
    name: "TypeScript",
    package: "nodejs",
    file: join(folder, "node/receive.ts"),
    run: (file) => [...runtime, file]
  }
]

/** Starts a command; fails with the name of the package to install where its program is missing. */
export const launch = (
  [program = "", ...args]: ReadonlyArray<string>,
  language: Pick<Language, "package">,
  env: Readonly<Record<string, string>>
): Promise<{ readonly child: ChildProcess; readonly said: () => string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], PYTHONUNBUFFERED: "1", ...env }
    })
    let text = ""
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (more) => text += more)
    child.once("spawn", () => resolve({ child, said: () => text }))
    child.once("error", (error) =>
      reject(
        new Error(`these tests need ${program} (apt-get install ${language.package}): ${error.message}`)
      ))
  })

const runs = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null

const listens = (port: number): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resume(Effect.succeed(true)))
    socket.once("error", () => resume(Effect.succeed(false)))
    return Effect.sync(() => socket.destroy())
  })

/** A receiver with its own inbox, until the scope ends. */
export const startExample = Effect.fnUntraced(function* (
  language: Language & { readonly file: string },
  secrets: ReadonlyArray<string>
): Effect.fn.Return<{ readonly url: string; readonly inbox: string }, never, Scope.Scope> {
  const inbox = yield* temporaryFolder
  const made = join(yield* temporaryFolder, "receive")
  const port = yield* Effect.promise(freePort)
  const env = { INBOX: inbox, PORT: String(port), WEBHOOK_SECRETS: secrets.join(" ") }

  if (language.build !== undefined) {
    const command = language.build(language.file, made)
    yield* Effect.promise(async () => {
      const { child, said } = await launch(command, language, env)
      const [code] = await once(child, "close")
      if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${said()}`)
    })
  }
  const { child, said } = yield* Effect.acquireRelease(
    Effect.promise(() => launch(language.run(language.file, port, made), language, env)),
    ({ child }) =>
      Effect.promise(async () => {
        if (!runs(child)) return
        const gone = once(child, "exit")
        process.kill(child.pid ?? 0, "SIGKILL")
        await gone
      })
  )
  yield* eventuallyHolds(
    Effect.suspend(() => runs(child) ? listens(port) : Effect.die(new Error(`the receiver ended: ${said()}`)))
  ).pipe(Effect.orDie)
  return { url: `http://127.0.0.1:${port}/`, inbox }
})
