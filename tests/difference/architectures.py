"""Small models of transformers' with random weights, each with a batch and a loss."""

import torch
import transformers as tf
from torch.nn import functional

tf.logging.set_verbosity_error()
TEXT = torch.randint(0, 50, (2, 12), generator=torch.Generator().manual_seed(0))
PIXELS = torch.randn(4, 3, 32, 32, generator=torch.Generator().manual_seed(0))
SOUND = torch.randn(2, 16, 64, generator=torch.Generator().manual_seed(0))
_SIZE = {"vocab_size": 50, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
_HEADS = {"num_attention_heads": 4}
_VISION = {"image_size": 32, "num_labels": 10}


def cross_entropy(output):
    """Beside targets that count up."""
    logits = output.logits.flatten(0, -2)
    return functional.cross_entropy(logits, torch.arange(len(logits)) % logits.shape[-1])


def own_loss(output):
    return output.loss


def bert(**config):
    return tf.BertForMaskedLM(tf.BertConfig(**_SIZE, **_HEADS, **config)), {"input_ids": TEXT}, cross_entropy


def llama(**config):
    config = {**_SIZE, **_HEADS, "num_key_value_heads": 2, **config}
    return tf.LlamaForCausalLM(tf.LlamaConfig(**config)), {"input_ids": TEXT, "labels": TEXT}, own_loss


def gpt2():
    config = tf.GPT2Config(vocab_size=50, n_embd=32, n_layer=2, n_head=4)
    return tf.GPT2LMHeadModel(config), {"input_ids": TEXT}, cross_entropy


def t5():
    config = tf.T5Config(
        vocab_size=50, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, decoder_start_token_id=0
    )
    mask = (torch.arange(12) < 9).expand(2, 12).long()
    batch = {"input_ids": TEXT, "labels": TEXT, "attention_mask": mask}
    return tf.T5ForConditionalGeneration(config), batch, own_loss


def vit():
    config = tf.ViTConfig(
        hidden_size=32, intermediate_size=64, num_hidden_layers=2, patch_size=8, **_HEADS, **_VISION
    )
    return tf.ViTForImageClassification(config), PIXELS, cross_entropy


def resnet():
    config = tf.ResNetConfig(
        embedding_size=16, hidden_sizes=[16, 32], depths=[2, 2], layer_type="basic", num_labels=10
    )
    return tf.ResNetForImageClassification(config), (PIXELS,), cross_entropy


def convnext(layer_scale=0.1):
    config = tf.ConvNextConfig(
        hidden_sizes=[16, 32], depths=[1, 2], num_stages=2, num_labels=10, layer_scale_init_value=layer_scale
    )
    return tf.ConvNextForImageClassification(config), PIXELS, cross_entropy


def swin():
    config = tf.SwinConfig(
        patch_size=4, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4, **_VISION
    )
    return tf.SwinForImageClassification(config), PIXELS, cross_entropy


def whisper():
    config = tf.WhisperConfig(
        vocab_size=50,
        d_model=32,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        num_mel_bins=16,
        max_source_positions=32,
        max_target_positions=16,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
    )
    batch = {"input_features": SOUND, "labels": TEXT}
    return tf.WhisperForConditionalGeneration(config), batch, own_loss


def mamba():
    config = tf.MambaConfig(vocab_size=50, hidden_size=32, num_hidden_layers=2, state_size=8)
    return tf.MambaForCausalLM(config), {"input_ids": TEXT}, cross_entropy


def mixtral():
    config = tf.MixtralConfig(**_SIZE, **_HEADS, num_key_value_heads=2, num_local_experts=4)
    return tf.MixtralForCausalLM(config), {"input_ids": TEXT}, cross_entropy


def gemma2():
    config = tf.Gemma2Config(**_SIZE, **_HEADS, num_key_value_heads=2, head_dim=8)
    return tf.Gemma2ForCausalLM(config), {"input_ids": TEXT}, cross_entropy
