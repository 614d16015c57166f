import { slipReaderContract } from "../../../contracts/slip-reader.ts"

slipReaderContract("portable")
