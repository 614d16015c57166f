<?php
// Prints amount and transRef of the slip at a URL. BASE_URL=… API_KEY=… php url.php SUBMISSION URL

declare(strict_types=1);

require __DIR__ . '/sliptrail.php';

[, $submission, $url] = $argv;

$slip = slipTrail('POST', '/v2/verify/bank', ['url' => $url], $submission);
echo $slip['amountInSlip'], ' ', $slip['rawSlip']['transRef'], "\n";
