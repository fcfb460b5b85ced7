<?php

// Runs a Laravel routes file under `php -S`, with plain PHP versions of the few functions that it calls. The cache is in
// files, because each request runs separately. LARAVEL_ROUTES names the routes file, LARAVEL_CACHE the cache folder.

namespace Illuminate\Http {
    class Request
    {
        public function getContent(): string
        {
            return file_get_contents('php://input');
        }

        public function header(string $name): ?string
        {
            return $_SERVER['HTTP_'.strtoupper(str_replace('-', '_', $name))] ?? null;
        }
    }
}

namespace Illuminate\Support\Facades {
    class Route
    {
        public static array $routes = [];

        public static function post(string $path, callable $action): void
        {
            self::$routes[] = ['POST', $path, $action];
        }

        public static function get(string $path, callable $action): void
        {
            self::$routes[] = ['GET', $path, $action];
        }
    }

    class Log
    {
        public static function info(string $text): void
        {
            file_put_contents('php://stdout', "{$text}\n");
        }
    }

    class Cache
    {
        private static function file(string $key): string
        {
            return getenv('LARAVEL_CACHE').'/'.md5($key);
        }

        public static function has(string $key): bool
        {
            return file_exists(self::file($key));
        }

        public static function get(string $key, mixed $default = null): mixed
        {
            return self::has($key) ? unserialize(file_get_contents(self::file($key))) : $default;
        }

        public static function put(string $key, mixed $value, mixed $until): void
        {
            file_put_contents(self::file($key), serialize($value));
        }

        public static function forever(string $key, mixed $value): void
        {
            self::put($key, $value, null);
        }

        /** As the store `file` of Laravel does it, a lock is a value under its name. */
        public static function lock(string $key, int $seconds): object
        {
            return new class(self::file($key)) {
                public function __construct(private string $file) {}

                public function block(int $seconds, callable $work): mixed
                {
                    $until = time() + $seconds;
                    while (($handle = @fopen($this->file, 'x')) === false) {
                        if (time() > $until) {
                            throw new \RuntimeException('The lock is taken.');
                        }
                        usleep(10_000);
                    }
                    fclose($handle);
                    try {
                        return $work();
                    } finally {
                        if (file_get_contents($this->file) === '') {
                            unlink($this->file);
                        }
                    }
                }
            };
        }
    }
}

namespace {
    use Illuminate\Support\Facades\Route;

    class Abort extends Exception {}

    function env(string $name): ?string
    {
        return getenv($name) ?: null;
    }

    function abort_if(bool $condition, int $status, string $message = ''): void
    {
        if ($condition) {
            throw new Abort($message, $status);
        }
    }

    function abort_unless(bool $condition, int $status): void
    {
        abort_if(! $condition, $status);
    }

    function now(): object
    {
        return new class {
            public function addDays(int $days): DateTimeImmutable
            {
                return new DateTimeImmutable("+{$days} days");
            }
        };
    }

    function collect(array $items): object
    {
        return new class($items) {
            public function __construct(private array $items) {}

            public function contains(callable $test): bool
            {
                foreach ($this->items as $item) {
                    if ($test($item)) {
                        return true;
                    }
                }

                return false;
            }
        };
    }

    function response(): object
    {
        return new class {
            public function noContent(): array
            {
                return [204, ''];
            }

            public function json(mixed $data): array
            {
                return [200, json_encode($data)];
            }
        };
    }

    // Twice, as in the tests of a store: Laravel starts anew for each of them, in the same process.
    require getenv('LARAVEL_ROUTES');
    Route::$routes = [];
    require getenv('LARAVEL_ROUTES');

    $path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
    $isKnown = false;
    $answer = null;
    foreach (Route::$routes as [$method, $route, $action]) {
        $pattern = '#^/api'.preg_replace('#\{\w+\}#', '([^/]+)', $route).'$#';
        if (! preg_match($pattern, $path, $matches)) {
            continue;
        }
        $isKnown = true;
        if ($method !== $_SERVER['REQUEST_METHOD']) {
            continue;
        }
        try {
            $answer = $action(...($method === 'POST' ? [new Illuminate\Http\Request] : array_slice($matches, 1)));
        } catch (Abort $abort) {
            $answer = [$abort->getCode(), $abort->getMessage()];
        } catch (Throwable $error) {
            $answer = [500, $error->getMessage()];
        }
        break;
    }
    [$status, $body] = $answer ?? [$isKnown ? 405 : 404, ''];
    http_response_code($status);
    echo $body;
}
