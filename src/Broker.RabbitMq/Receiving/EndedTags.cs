using System.Numerics;

namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// Which delivery tags of a channel have come to their end. They count up from 1 and end in any order; one acknowledgement may stand for all
/// up to a tag once every one of those has ended. A bit for each tag from the first that has not.
/// </summary>
internal sealed class EndedTags
{
    private const int BitsPerWord = 64;

    private ulong[] _words = new ulong[4];
    private ulong _firstWord;

    /// <summary>Every tag up to this one has ended.</summary>
    public ulong AllUpTo { get; private set; }

    public void Add(ulong tag)
    {
        var word = tag / BitsPerWord;
        MakeRoomFor(word);
        _words[Place(word)] |= 1UL << (int)(tag % BitsPerWord);
        if (tag == AllUpTo + 1)
            Advance();
    }

    private void Advance()
    {
        while (true)
        {
            var next = AllUpTo + 1;
            var word = next / BitsPerWord;
            for (; _firstWord < word; _firstWord++)
                _words[Place(_firstWord)] = 0;

            var (place, bit) = (Place(word), (int)(next % BitsPerWord));
            var run = BitOperations.TrailingZeroCount(~(_words[place] >> bit));
            AllUpTo += (ulong)Math.Min(run, BitsPerWord - bit);
            if (run < BitsPerWord - bit)
                return;
        }
    }

    private void MakeRoomFor(ulong word)
    {
        if (word - _firstWord < (ulong)_words.Length)
            return;

        var larger = new ulong[BitOperations.RoundUpToPowerOf2(word - _firstWord + 1)];
        for (var i = 0UL; i < (ulong)_words.Length; i++)
            larger[(_firstWord + i) % (ulong)larger.Length] = _words[Place(_firstWord + i)];
        _words = larger;
    }

    private int Place(ulong word) => (int)(word % (ulong)_words.Length);
}
